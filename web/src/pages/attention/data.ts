import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { ApiError } from '../../api/error'
import { key } from '../../api/query'

/** What needs a person, the newest first, page by page. */
export function useNeedsAttention(teamId: string) {
  return useInfiniteQuery({
    queryKey: key('scheduled-posts', teamId, 'attention'),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/scheduled-posts', {
          params: { path: { teamId }, query: { needsAttention: 'true', limit: '50', cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: page => page.nextCursor ?? undefined,
    select: data => ({ list: data.pages.flatMap(p => p.data), total: data.pages[0]?.total ?? 0 }),
  })
}

/**
 * The posts behind scheduled posts, by id, for their names. Each is asked for once, and not again with every event: there
 * is a request for each of them. A post that was deleted is null.
 */
export function usePostsById(teamId: string, ids: string[]): Map<string, Schemas['Post'] | null> {
  const unique = [...new Set(ids)]
  return useQueries({
    queries: unique.map(postId => ({
      queryKey: key('post-names', teamId, postId),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ask(api.GET('/v1/teams/{teamId}/posts/{postId}', { params: { path: { teamId, postId } }, signal })),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: answers =>
      new Map(
        unique.flatMap((id, n) => {
          const a = answers[n]
          const gone = a?.error instanceof ApiError && a.error.status === 404
          return a?.data || gone ? [[id, a.data ?? null] as const] : []
        }),
      ),
  })
}
