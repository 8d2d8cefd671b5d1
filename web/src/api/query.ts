import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
  type QueryState,
} from '@tanstack/react-query'
import { ApiError } from './error'

/** A lost line, a server that is away and one that asks to wait may answer later; a refusal stays one. */
export function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

function worthRetrying(failures: number, error: unknown): boolean {
  return failures < 3 && mayPass(error)
}

/** A query client whose reads never show what was true before a write that was known of. */
class FreshQueryClient extends QueryClient {
  /**
   * Marks queries as outdated and fetches those on the screen. A fetch that is under way may have been answered before
   * the write. The library begins anew only where there is data already: a first fetch would be kept, and its answer taken
   * for fresh.
   */
  override invalidateQueries<T extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<T>,
    options?: InvalidateOptions,
  ): Promise<void> {
    for (const query of this.getQueryCache().findAll(filters)) {
      if (query.state.fetchStatus === 'idle') continue
      if (!query.isActive()) query.cancel({ revert: true })
      else if (query.state.data === undefined) query.cancel({ silent: true })
    }
    return super.invalidateQueries(filters, options)
  }

  /** Fetches again what is on the screen and known to be outdated because fetching it failed. */
  refetchOutdated(): Promise<void> {
    return this.refetchQueries({ type: 'active', predicate: q => outdated(q.state) })
  }
}

/** Whether data is shown that was to be replaced, and nothing is on its way to replace it. */
function outdated({ data, isInvalidated, fetchStatus, error }: QueryState): boolean {
  return data !== undefined && isInvalidated && fetchStatus === 'idle' && (error === null || mayPass(error))
}

export const newQueryClient = () =>
  new FreshQueryClient({
    defaultOptions: {
      queries: { staleTime: 10_000, retry: worthRetrying, refetchOnWindowFocus: true, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })

export const queryClient = newQueryClient()

/** The first element of a query key: what the data is about. Events name these to have them fetched again. */
export type Noun =
  | 'context'
  | 'instance'
  | 'calendar'
  | 'posts'
  | 'post-names'
  | 'scheduled-posts'
  | 'slots'
  | 'accounts'
  | 'providers'
  | 'tags'
  | 'assets'
  | 'folders'
  | 'members'
  | 'keys'
  | 'webhooks'
  | 'credits'
  | 'audit'
  | 'analytics'

/** key('posts', teamId, {...}): every key begins with a noun, then the team or organization. */
export const key = (noun: Noun, ...rest: unknown[]): QueryKey => [noun, ...rest]
