import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client'
import { key } from '../../api/query'
import { useSession } from '../../session'
import type { Slot } from './model'

export type SlotDraft = { hour: number; minute: number; label: string | null; daysOfWeek: number[] }

export function useSlots() {
  const { team } = useSession()
  return useQuery({
    queryKey: key('slots', team.id, 'grid'),
    queryFn: ({ signal }) =>
      ask(api.GET('/v1/teams/{teamId}/scheduling-slots', { params: { path: { teamId: team.id } }, signal })),
  })
}

/** The next ten instants, for an account or for all. */
export function useNextInstants(socialAccountId: string | undefined) {
  const { team } = useSession()
  return useQuery({
    queryKey: key('slots', team.id, 'next', socialAccountId ?? null),
    queryFn: ({ signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/scheduling-slots/next', {
          params: { path: { teamId: team.id }, query: { count: '10', socialAccountId } },
          signal,
        }),
      ),
    placeholderData: before => before,
  })
}

/** What can be done to slots; everything that shows slots is fetched again afterwards. */
export function useSlotActions() {
  const { team } = useSession()
  const client = useQueryClient()
  const teamId = team.id
  const renewed = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      await client.invalidateQueries({ queryKey: key('slots', teamId) })
    }
  }
  const create = (body: SlotDraft) =>
    renewed(ask(api.POST('/v1/teams/{teamId}/scheduling-slots', { params: { path: { teamId } }, body })))
  const update = (slotId: string, body: SlotDraft) =>
    renewed(
      ask(api.PATCH('/v1/teams/{teamId}/scheduling-slots/{slotId}', { params: { path: { teamId, slotId } }, body })),
    )
  const remove = (slotId: string) =>
    renewed(ask(api.DELETE('/v1/teams/{teamId}/scheduling-slots/{slotId}', { params: { path: { teamId, slotId } } })))
  /** Default slots are nobody's: they become the team's own before one can be changed. */
  const adopt = async (defaults: Slot[]) => {
    for (const { hour, minute, label, daysOfWeek } of defaults) await create({ hour, minute, label, daysOfWeek })
  }
  return { create, update, remove, adopt }
}
