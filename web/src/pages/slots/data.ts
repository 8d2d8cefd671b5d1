import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { key } from '../../api/query'
import { useSession } from '../../session'
import { type Adoption, adopt, begin, forget, leftOf, recall, type SlotDraft } from './adoption'

export type { SlotDraft }

type Grid = Schemas['SchedulingSlots']

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
  return { create, update, remove }
}

/** How a team makes the default slots its own: they are nobody's, and become its own before one can be changed. */
export function useAdoption(grid: Grid | undefined) {
  const { team } = useSession()
  const client = useQueryClient()
  const teamId = team.id
  const [held, setHeld] = useState<{ teamId: string; adoption: Adoption | null } | null>(null)
  const begun = held?.teamId === teamId ? held.adoption : recall(localStorage, teamId)
  const own = grid?.usingDefaults === false ? grid.slots : []
  /** What an interruption has left. With the defaults back, there is nothing left of them. */
  const left = grid?.usingDefaults === false ? leftOf(begun, own) : []
  const leave = () => {
    forget(localStorage, teamId)
    setHeld({ teamId, adoption: null })
  }
  const run = async () => {
    const adoption = grid?.usingDefaults ? begin(localStorage, teamId, grid.slots) : begun
    if (!adoption) return
    setHeld({ teamId, adoption })
    const create = (body: SlotDraft, headers: Record<string, string>) =>
      ask(api.POST('/v1/teams/{teamId}/scheduling-slots', { params: { path: { teamId } }, body, headers }))
    try {
      await adopt(adoption, own, create)
      leave()
    } finally {
      await client.invalidateQueries({ queryKey: key('slots', teamId) })
    }
  }
  return { left, run, leave }
}
