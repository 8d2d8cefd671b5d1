import { useQuery } from '@tanstack/react-query'
import type { Context } from '../session'
import { withAllTeams } from './allTeams'
import { api, ask, type Schemas } from './client'
import { ApiError } from './error'
import type { Instance } from './extra'
import { key } from './query'

/** Who is signed in, and the organizations and all the teams within reach. */
export function useContextQuery() {
  return useQuery({
    queryKey: key('context'),
    queryFn: async ({ signal }): Promise<Context> => {
      const context = await ask(api.GET('/v1/agent/context', { signal }))
      const clockSkew = Date.parse(context.serverTime) - Date.now()
      return { ...(await withAllTeams(context, signal)), clockSkew }
    },
    staleTime: 60_000,
  })
}

/** What this installation is. */
export function useInstance() {
  return useQuery({
    queryKey: key('instance'),
    queryFn: async ({ signal }): Promise<Instance | null> => {
      try {
        return await ask(api.GET('/v1/instance', { signal }))
      } catch (e) {
        if (e instanceof ApiError && e.status === 404) return null
        throw e
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** All social accounts of a team, the disconnected ones included. */
export function useAccounts(teamId: string) {
  return useQuery({
    queryKey: key('accounts', teamId),
    queryFn: async ({ signal }) =>
      ask(api.GET('/v1/teams/{teamId}/social-accounts', { params: { path: { teamId } }, signal })),
    select: list => list.data,
  })
}

/** The networks: limits, settings and costs, as the server knows them. */
export function useProviders() {
  return useQuery({
    queryKey: key('providers'),
    queryFn: async ({ signal }) => ask(api.GET('/v1/providers', { signal })),
    staleTime: 10 * 60_000,
  })
}

/** The tags of a team, by name: all of them, at most 500. */
export function useTags(teamId: string) {
  return useQuery({
    queryKey: key('tags', teamId),
    queryFn: async ({ signal }) => {
      const tags: Schemas['Tag'][] = []
      let cursor: string | undefined
      do {
        const query = { limit: '100', sortBy: 'name', sortOrder: 'asc', cursor } as const
        const page = await ask(api.GET('/v1/teams/{teamId}/tags', { params: { path: { teamId }, query }, signal }))
        tags.push(...page.data)
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      return tags
    },
  })
}

/** How many scheduled posts need a person: the badge in the rail. */
export function useAttentionCount(teamId: string) {
  return useQuery({
    queryKey: key('scheduled-posts', teamId, 'attention-count'),
    queryFn: async ({ signal }) => {
      try {
        const page = await ask(
          api.GET('/v1/teams/{teamId}/scheduled-posts', {
            params: { path: { teamId }, query: { needsAttention: 'true', limit: '1' } },
            signal,
          }),
        )
        return page.total
      } catch (e) {
        if (e instanceof ApiError && e.status === 404) return 0
        throw e
      }
    },
  })
}
