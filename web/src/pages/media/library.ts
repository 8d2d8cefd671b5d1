import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { key } from '../../api/query'
import type { MediaKind } from '../../ui'

export type Asset = Schemas['Asset']
export type Folder = Schemas['Folder']

/** What a file is to people. To the interface a GIF is an image, moving or not. */
export const kindOf = ({ kind, mimeType }: Pick<Asset, 'kind' | 'mimeType'>): MediaKind =>
  mimeType === 'image/gif' ? 'gif' : kind

export type AssetFilter = { folderId?: string; q?: string; kind?: Asset['kind'] }

/** The assets of a team, the newest first, page by page. */
export function useAssets(teamId: string, filter: AssetFilter) {
  return useInfiniteQuery({
    queryKey: key('assets', teamId, 'list', filter),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/assets', {
          params: { path: { teamId }, query: { ...filter, cursor: pageParam, limit: '60' } },
          signal,
        }),
      ),
    getNextPageParam: page => page.nextCursor ?? undefined,
    // Pictures are read from their files in the background: look again until they are ready.
    refetchInterval: q => (q.state.data?.pages.some(p => p.data.some(a => a.status === 'processing')) ? 1500 : false),
  })
}

/** One asset; asked again until it is ready. */
export function useAsset(teamId: string, assetId: string | undefined) {
  return useQuery({
    queryKey: key('assets', teamId, 'one', assetId),
    enabled: assetId !== undefined,
    queryFn: ({ signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/assets/{assetId}', {
          params: { path: { teamId, assetId: assetId ?? '' } },
          signal,
        }),
      ),
    refetchInterval: q => (q.state.data?.status === 'processing' ? 700 : false),
    staleTime: 60_000,
  })
}

/** All folders of a team; at most the first hundred of each place are asked for. */
export function useFolders(teamId: string) {
  return useQuery({
    queryKey: key('folders', teamId),
    queryFn: async ({ signal }) => {
      const all: Folder[] = []
      let cursor: string | undefined
      do {
        const page: Schemas['FolderPage'] = await ask(
          api.GET('/v1/teams/{teamId}/folders', {
            params: { path: { teamId }, query: { limit: '100', sortBy: 'name', sortOrder: 'asc', cursor } },
            signal,
          }),
        )
        all.push(...page.data)
        cursor = page.nextCursor ?? undefined
      } while (cursor && all.length < 1000)
      return all
    },
  })
}

export const contentUrl = (teamId: string, assetId: string) => `/v1/teams/${teamId}/assets/${assetId}/content`

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB']
  let value = bytes / 1000
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

export function formatLength(seconds: number): string {
  const total = Math.max(1, Math.round(seconds)) // a short GIF has a length too
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`
}

const oneAsset = (teamId: string, assetId: string) => ({ params: { path: { teamId, assetId } } })

export const updateAsset = (teamId: string, assetId: string, body: Schemas['AssetUpdate']) =>
  ask(api.PATCH('/v1/teams/{teamId}/assets/{assetId}', { ...oneAsset(teamId, assetId), body }))

export const moveAsset = (teamId: string, assetId: string, folderId: string | null) =>
  updateAsset(teamId, assetId, { folderId })

export const deleteAsset = (teamId: string, assetId: string) =>
  ask(api.DELETE('/v1/teams/{teamId}/assets/{assetId}', oneAsset(teamId, assetId)))
