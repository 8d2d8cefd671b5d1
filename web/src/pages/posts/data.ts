import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { key } from '../../api/query'
import type { paths } from '../../api/schema'
import type { Search } from '../../ui/useSearchState'

export type Post = Schemas['Post']

type Filter = NonNullable<paths['/v1/teams/{teamId}/posts']['get']['parameters']['query']>

/** The states that are not one of delivery, as the list takes them. */
const otherStates: Record<string, Filter> = {
  drafts: { saveDestination: 'drafts' },
  archived: { status: 'archived' },
  to_approve: { status: 'draft' },
  approved: { status: 'approved', deliveryState: 'unscheduled' },
  rejected: { status: 'rejected' },
}

/** What the address asks for, as the list takes it. */
export function filterOf(search: Search): Filter {
  return {
    q: search.q,
    ...(otherStates[search.state ?? ''] ?? { deliveryState: search.state }),
    provider: search.network,
    socialAccountId: search.account,
    tagId: search.tag,
    postType: search.type,
    sortBy: search.sort === 'scheduled' ? 'scheduledAt' : 'updatedAt',
  }
}

export function usePosts(teamId: string, search: Search) {
  const filter = filterOf(search)
  return useInfiniteQuery({
    queryKey: key('posts', teamId, 'list', filter),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/posts', {
          params: {
            path: { teamId },
            query: { ...filter, include: 'scheduledPosts', limit: '50', cursor: pageParam },
          },
          signal,
        }),
      ),
    getNextPageParam: page => page.nextCursor ?? undefined,
    placeholderData: before => before,
  })
}

/** Counts of what the posts of the team are about. */
export function useFacets(teamId: string) {
  return useQuery({
    queryKey: key('posts', teamId, 'facets'),
    queryFn: ({ signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/posts/facets/enrichment', {
          params: { path: { teamId }, query: { fields: 'postType,hashtags,linkDomains' } },
          signal,
        }),
      ),
    select: facets => facets.data,
    staleTime: 30_000,
  })
}
