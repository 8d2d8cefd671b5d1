import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, ask, newIdempotencyKey, type Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { key } from '../../api/query'

export type Post = Schemas['Post']

const running = (s: ScheduledPost) =>
  s.status === 'publishing' ||
  s.status === 'processing' ||
  (s.status === 'scheduled' && Date.parse(s.scheduledAt) - Date.now() < 15_000)

export function usePost(teamId: string, postId: string) {
  return useQuery({
    queryKey: key('posts', teamId, 'one', postId),
    queryFn: ({ signal }) =>
      ask(api.GET('/v1/teams/{teamId}/posts/{postId}', { params: { path: { teamId, postId } }, signal })),
  })
}

/** One scheduled post as it is now, beginning with what is known of it. */
export function useScheduledPost(teamId: string, known: ScheduledPost): ScheduledPost {
  const { data } = useQuery({
    queryKey: key('scheduled-posts', teamId, 'one', known.id),
    queryFn: ({ signal }) =>
      ask(api.GET('/v1/teams/{teamId}/scheduled-posts/{id}', { params: { path: { teamId, id: known.id } }, signal })),
    initialData: known,
  })
  return data
}

/** Without naming them, canceled ones are left out. */
const anyStatus = 'scheduled,publishing,processing,published,failed,canceled,missed,unknown'

/** All scheduled posts of a post: one for each account and time. */
export async function readScheduledPosts(
  teamId: string,
  postId: string,
  signal?: AbortSignal,
): Promise<ScheduledPost[]> {
  const all: ScheduledPost[] = []
  let cursor: string | undefined
  do {
    const page = await ask(
      api.GET('/v1/teams/{teamId}/scheduled-posts', {
        params: { path: { teamId }, query: { postId, status: anyStatus, limit: '100', cursor } },
        signal,
      }),
    )
    all.push(...page.data)
    cursor = page.nextCursor ?? undefined
  } while (cursor && all.length < 1000)
  return all
}

/** The scheduled posts of a post. What is under way is asked for often. */
export function useScheduledPosts(teamId: string, postId: string) {
  return useQuery({
    queryKey: key('scheduled-posts', teamId, 'of', postId),
    queryFn: ({ signal }) => readScheduledPosts(teamId, postId, signal),
    refetchInterval: q => (q.state.data?.some(running) ? 1500 : false),
  })
}

export function useAttempts(teamId: string, sp: ScheduledPost) {
  return useQuery({
    queryKey: key('scheduled-posts', teamId, 'attempts', sp.id, sp.status, sp.updatedAt),
    queryFn: ({ signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/scheduled-posts/{id}/attempts', {
          params: { path: { teamId, id: sp.id } },
          signal,
        }),
      ),
    select: list => list.data,
    placeholderData: before => before,
    refetchInterval: running(sp) ? 2000 : false,
  })
}

/** The versions of a post, the newest first, page by page. */
export function useVersions(teamId: string, postId: string) {
  return useInfiniteQuery({
    queryKey: key('posts', teamId, 'versions', postId),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/posts/{postId}/versions', {
          params: { path: { teamId, postId }, query: { limit: '50', cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: page => page.nextCursor ?? undefined,
    select: data => data.pages.flatMap(p => p.data),
  })
}

export function usePostMetrics(teamId: string, postId: string) {
  return useQuery({
    queryKey: key('analytics', teamId, 'post', postId),
    queryFn: ({ signal }) =>
      ask(api.GET('/v1/teams/{teamId}/posts/{postId}/metrics', { params: { path: { teamId, postId } }, signal })),
    select: list => list.data,
  })
}

const one = (teamId: string, id: string) => ({ params: { path: { teamId, id } }, headers: newIdempotencyKey() })

export const retry = (teamId: string, id: string) =>
  ask(api.POST('/v1/teams/{teamId}/scheduled-posts/{id}/retry', one(teamId, id)))

export const cancel = (teamId: string, id: string) =>
  ask(api.POST('/v1/teams/{teamId}/scheduled-posts/{id}/cancel', one(teamId, id)))

export const dismiss = (teamId: string, id: string) =>
  ask(api.POST('/v1/teams/{teamId}/scheduled-posts/{id}/dismiss', one(teamId, id)))

export const resolve = (teamId: string, id: string, body: Schemas['Resolution']) =>
  ask(api.POST('/v1/teams/{teamId}/scheduled-posts/{id}/resolve', { ...one(teamId, id), body }))

/** Of another version than the one that was seen, nothing is approved or rejected. */
export const setStatus = (
  teamId: string,
  { id: postId, contentPayloadId }: Pick<Post, 'id' | 'contentPayloadId'>,
  status: 'draft' | 'approved' | 'rejected',
) =>
  ask(
    api.POST('/v1/teams/{teamId}/posts/{postId}/status', {
      params: { path: { teamId, postId } },
      headers: { ...newIdempotencyKey(), 'If-Match': `"${contentPayloadId}"` },
      body: { status },
    }),
  )

export const deletePost = (teamId: string, postId: string, everywhere: boolean) =>
  ask(
    api.DELETE('/v1/teams/{teamId}/posts/{postId}', {
      params: { path: { teamId, postId }, query: { alsoDeleteFromPlatform: String(everywhere) } },
      headers: newIdempotencyKey(),
    }),
  )
