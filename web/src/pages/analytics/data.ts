import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { key } from '../../api/query'
import { useSession } from '../../session'

export type Metric =
  | 'posts'
  | 'followers'
  | 'engagementRate'
  | 'views'
  | 'likes'
  | 'comments'
  | 'shares'
  | 'quotes'
  | 'saves'
  | 'clicks'
  | 'engagements'
export type GroupBy = 'none' | 'provider' | 'socialAccount' | 'postType' | 'tag'
export type SortBy = 'views' | 'engagements' | 'engagementRate' | 'likes' | 'comments' | 'shares' | 'publishedAt'

/** Which posts are counted. */
export type Scope = {
  from: string
  to: string
  provider?: Schemas['SocialAccount']['provider']
  socialAccountId?: string
}

/** These addresses answer with CSV too; without format they do not. */
const askJSON = <T>(call: Parameters<typeof ask<T>>[0]) => ask(call) as Promise<Exclude<T, string>>

const useQueryOf = (scope: Scope) => ({ ...scope, timezone: useSession().zone })

export function useSummary(scope: Scope) {
  const { team } = useSession()
  const query = { ...useQueryOf(scope), compare: 'previous' as const }
  return useQuery({
    queryKey: key('analytics', team.id, 'summary', query),
    queryFn: ({ signal }) =>
      askJSON(
        api.GET('/v1/teams/{teamId}/analytics/summary', { params: { path: { teamId: team.id }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
}

/** A line of the chart. null is a gap: something was there, and nothing told. */
export type Line = { key: string; label: string; values: (number | null)[] }

export function useSeries(scope: Scope, metric: Metric, interval: 'day' | 'week' | 'month', groupBy: GroupBy) {
  const { team } = useSession()
  const query = { ...useQueryOf(scope), metric, interval, groupBy }
  return useQuery({
    queryKey: key('analytics', team.id, 'series', query),
    queryFn: async ({ signal }) => {
      const answer = await askJSON(
        api.GET('/v1/teams/{teamId}/analytics/series', { params: { path: { teamId: team.id }, query }, signal }),
      )
      return { buckets: answer.buckets, lines: answer.groups as Line[] }
    },
    placeholderData: keepPreviousData,
  })
}

export function useRanking(scope: Scope, sortBy: SortBy) {
  const { team } = useSession()
  const query = { ...useQueryOf(scope), sortBy, limit: '10' }
  return useInfiniteQuery({
    queryKey: key('analytics', team.id, 'posts', query),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      askJSON(
        api.GET('/v1/teams/{teamId}/analytics/posts', {
          params: { path: { teamId: team.id }, query: { ...query, cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: page => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

/**
 * How many posts of the window were never read, of the newest hundred: the first reading comes within hours. Posts that
 * are never read, because their network charges for it, are among them.
 */
export function useUnread(scope: Scope): number {
  const { team } = useSession()
  const query = { ...useQueryOf(scope), sortBy: 'publishedAt' as const, limit: '100' }
  const newest = useQuery({
    queryKey: key('analytics', team.id, 'unread', query),
    queryFn: ({ signal }) =>
      askJSON(api.GET('/v1/teams/{teamId}/analytics/posts', { params: { path: { teamId: team.id }, query }, signal })),
    select: page => page.data.filter(p => p.readAt === null).length,
    placeholderData: keepPreviousData,
  })
  return newest.data ?? 0
}

export function useBestTimes(scope: Scope) {
  const { team } = useSession()
  const query = useQueryOf(scope)
  return useQuery({
    queryKey: key('analytics', team.id, 'best-times', query),
    queryFn: ({ signal }) =>
      askJSON(
        api.GET('/v1/teams/{teamId}/analytics/best-times', { params: { path: { teamId: team.id }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
}

export function useDelivery(scope: Scope) {
  const { team } = useSession()
  const query = useQueryOf(scope)
  return useQuery({
    queryKey: key('analytics', team.id, 'delivery', query),
    queryFn: ({ signal }) =>
      askJSON(
        api.GET('/v1/teams/{teamId}/analytics/delivery', { params: { path: { teamId: team.id }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
}

/** The address of the same numbers as a table for spreadsheets. */
export function csvAddress(teamId: string, part: string, scope: Scope & { timezone: string }, more = {}): string {
  const wanted = Object.entries({ ...scope, ...more, format: 'csv' }).filter(([, v]) => v !== undefined)
  return `/v1/teams/${teamId}/analytics/${part}?${new URLSearchParams(wanted as [string, string][])}`
}
