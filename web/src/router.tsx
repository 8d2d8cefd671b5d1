import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import { Crashed, NotFound } from './shell/Crashed'
import { Shell } from './shell/Shell'
import { LoadingState } from './ui/State'

type Search = Record<string, string | undefined>

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: (search: Search): Search => search,
  search: { middlewares: [retainSearchParams(['team'])] },
})

/** One line per page: its address, and the folder that it is loaded from when it is first opened. */
function page<const Path extends string>(path: Path, load: () => Promise<{ default: () => React.ReactNode }>) {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) })
}

// The composer stays where it is when a new post gets its address: what is being written is not drawn anew.
const compose = page('/compose', () => import('./pages/compose'))
const composePost = createRoute({ getParentRoute: () => compose, path: '$postId' })

const routeTree = root.addChildren([
  page('/', () => import('./pages/calendar')),
  page('/queue', () => import('./pages/queue')),
  compose.addChildren([composePost]),
  page('/posts', () => import('./pages/posts')),
  page('/posts/$postId', () => import('./pages/post')),
  page('/attention', () => import('./pages/attention')),
  page('/media', () => import('./pages/media')),
  page('/media/$folderId', () => import('./pages/media')),
  page('/analytics', () => import('./pages/analytics')),
  page('/analytics/$accountId', () => import('./pages/analytics')),
  page('/accounts', () => import('./pages/accounts')),
  page('/slots', () => import('./pages/slots')),
  page('/settings', () => import('./pages/settings')),
  page('/settings/$section', () => import('./pages/settings')),
  page('/welcome', () => import('./pages/welcome')),
])

/** Search parameters are plain strings, so that addresses can be read, typed and shared. */
function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, v]) => v !== undefined && v !== '')
  const text = new URLSearchParams(entries.map(([k, v]) => [k, String(v)])).toString()
  return text && `?${text}`
}

export const router = createRouter({
  routeTree,
  basepath: '/app',
  defaultPreload: 'intent',
  defaultPendingComponent: () => <LoadingState />,
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
