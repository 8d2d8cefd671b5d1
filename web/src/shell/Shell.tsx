import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../api/error'
import { followEvents, getConnection, subscribeConnection } from '../api/events'
import { useContextQuery, useInstance } from '../api/hooks'
import { makeSession, SessionProvider, useSession } from '../session'
import { buttonClass } from '../ui/Button'
import { DialogHost } from '../ui/DialogHost'
import { Icon } from '../ui/Icon'
import { EmptyState, ErrorState, LoadingState } from '../ui/State'
import { ToastRegion, undoLast } from '../ui/Toast'
import { isTyping } from './keys'
import { useOutcome } from './outcome'
import { type PaletteOf, Rail } from './Rail'
import styles from './Shell.module.css'
import { useTeamChoice } from './useTeamChoice'

const Palette = lazy(() => import('./Palette'))

/** The frame around every page: who is here, the rail, banners, toasts and the palette. */
export function Shell() {
  const context = useContextQuery()
  const teamId = useTeamChoice()
  if (context.error && !context.data) {
    const ending = context.error instanceof ApiError && context.error._tag === 'Unauthorized'
    return (
      <Alone>
        {ending ? (
          <LoadingState label="Going to sign in" />
        ) : (
          <ErrorState title="crier cannot be reached" error={context.error} retry={() => context.refetch()} />
        )}
      </Alone>
    )
  }
  if (!context.data) {
    return (
      <Alone>
        <LoadingState />
      </Alone>
    )
  }
  if (!makeSession(context.data, teamId)) {
    return (
      <Alone>
        <EmptyState
          icon="accounts"
          title="You belong to no team yet"
          action={
            <a className={buttonClass()} href="/account">
              Your account and sign-out
            </a>
          }
        >
          Ask an owner of your organization to add you to one, then load this page again.
        </EmptyState>
      </Alone>
    )
  }
  return (
    <SessionProvider context={context.data} teamId={teamId}>
      <Frame />
    </SessionProvider>
  )
}

/** What stands without the frame, because it is not known for whom to draw it. */
function Alone({ children }: { children: ReactNode }) {
  return (
    <main className={styles.alone}>
      <h1 className="visually-hidden">crier</h1>
      {children}
    </main>
  )
}

function Frame() {
  const { organization } = useSession()
  const [palette, setPalette] = useState<PaletteOf | null>(null)
  const path = useRouterState({ select: s => s.location.pathname })
  useOutcome()
  // Where the events stood is of interest at the beginning only: the stream goes on from there by itself.
  const begun = useRef(organization)
  if (begun.current.id !== organization.id) begun.current = organization
  useEffect(() => followEvents(organization.id, begun.current.eventCursor), [organization.id])
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const command = e.metaKey || e.ctrlKey
      if (command && e.key.toLowerCase() === 'k') {
        e.preventDefault()
        setPalette(open => (open ? null : 'all'))
      } else if (command && e.key.toLowerCase() === 'z' && !e.shiftKey && !isTyping(e)) {
        if (undoLast()) e.preventDefault()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(refuseFiles, [])
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <Rail onPalette={setPalette} />
      <div className={styles.column}>
        <aside aria-label="About this server">
          <SandboxRibbon />
          <ConnectionBanner />
        </aside>
        <Main />
      </div>
      {palette && (
        <Suspense>
          <Palette of={palette} onClose={() => setPalette(null)} />
        </Suspense>
      )}
      <DialogHost page={path} />
      <ToastRegion />
    </div>
  )
}

/** A file that is dropped where nothing takes it would be shown by the browser, in the place of the dashboard. */
function refuseFiles(): () => void {
  const refuse = (e: DragEvent) => {
    if (e.defaultPrevented || !e.dataTransfer?.types.includes('Files')) return
    e.preventDefault()
    e.dataTransfer.dropEffect = 'none'
  }
  addEventListener('dragover', refuse)
  addEventListener('drop', refuse)
  return () => {
    removeEventListener('dragover', refuse)
    removeEventListener('drop', refuse)
  }
}

/** Whether a page is on its way: the one that is still shown takes no more orders. The composer stays as it is. */
function useLeaving(): boolean {
  return useRouterState({
    select: ({ location, resolvedLocation }) => {
      const to = location.pathname
      const from = resolvedLocation?.pathname ?? to
      return from !== to && !(isComposer(from) && isComposer(to))
    },
  })
}

const isComposer = (path: string) => /^(\/app)?\/compose(\/|$)/.test(path)

/**
 * The page itself. After going to another page the focus is at its beginning, where a screen reader goes on; who is typing
 * while a new post gets its address keeps the focus.
 */
function Main() {
  const ref = useRef<HTMLElement>(null)
  const path = useRouterState({ select: s => s.location.pathname })
  const before = useRef(path)
  const leaving = useLeaving()
  useEffect(() => {
    const typing = document.activeElement?.matches('input, textarea, select')
    if (before.current !== path && !typing) ref.current?.focus({ preventScroll: true })
    before.current = path
  }, [path])
  return (
    <main id="main" ref={ref} tabIndex={-1} className={styles.main} inert={leaving}>
      <Outlet />
    </main>
  )
}

function SandboxRibbon() {
  const { data } = useInstance()
  if (!data?.sandbox) return null
  return (
    <p className={styles.ribbon}>
      <Icon name="sandbox" size={16} />
      <span>
        Sandbox<span className={styles.wideText}>: posts go to simulated networks, not to real ones</span>
      </span>
      {data.sandboxUrl && (
        <a href={data.sandboxUrl} target="_blank" rel="noreferrer">
          Timelines
        </a>
      )}
    </p>
  )
}

function ConnectionBanner() {
  const state = useSyncExternalStore(subscribeConnection, getConnection)
  const offline = state === 'offline'
  return (
    <div role="status">
      {offline && (
        <p className={styles.offline}>
          <Icon name="offline" size={16} />
          <span>The connection is lost. What you see may be old; it is caught up when the connection is back.</span>
        </p>
      )}
    </div>
  )
}
