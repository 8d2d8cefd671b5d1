import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, ask } from '../../api/client'
import { ApiError } from '../../api/error'
import type { CalendarEntry } from '../../api/extra'
import { key } from '../../api/query'
import { useSession } from '../../session'
import { endUndo, formatInstant, toast, toastError } from '../../ui'
import { startOfDay, type Wall } from '../../zone'
import { type Card, type Change, changesOf, movedTo, moveEntries, type Range } from './model'

type Window = { from: string; to: string }

export function windowOf(range: Range, zone: string): Window {
  const iso = (date: string) => new Date(startOfDay(date, zone)).toISOString()
  return { from: iso(range.from), to: iso(range.to) }
}

type Calendar = { entries: CalendarEntry[] }

export function useCalendar(range: Range) {
  const { team, zone } = useSession()
  const window = windowOf(range, zone)
  return useQuery({
    queryKey: key('calendar', team.id, window.from, window.to),
    queryFn: async ({ signal }): Promise<Calendar> => {
      const answer = await ask(
        api.GET('/v1/teams/{teamId}/calendar', {
          params: { path: { teamId: team.id }, query: { ...window, timezone: zone } },
          signal,
        }),
      )
      return { entries: moveEntries(answer.entries as CalendarEntry[], underWay) }
    },
    placeholderData: before => before,
  })
}

/** The slots of a window; a server that cannot tell them shows none. */
export function useSlotInstants(range: Range, enabled = true) {
  const { team, zone } = useSession()
  const window = windowOf(range, zone)
  return useQuery({
    queryKey: key('slots', team.id, 'calendar', window.from, window.to),
    queryFn: async ({ signal }) => {
      try {
        const answer = await ask(
          api.GET('/v1/teams/{teamId}/scheduling-slots/calendar', {
            params: { path: { teamId: team.id }, query: window },
            signal,
          }),
        )
        return answer.slots
      } catch (e) {
        if (e instanceof ApiError && e.status === 404) return []
        throw e
      }
    },
    enabled,
    placeholderData: before => before,
  })
}

/**
 * Where scheduled posts are being moved to. A post on several accounts takes several requests, and what is read between
 * them would show it in two places; until all is done it is shown where it goes.
 */
const underWay = new Map<string, string>()

/** Changes times: shown at once, taken back when the server refuses, with an undo. done says what has happened. */
export function useReschedule(): (changes: Change[], done: string) => void {
  const client = useQueryClient()
  const { team } = useSession()

  const apply = useCallback(
    async (changes: Change[]) => {
      for (const c of changes) underWay.set(c.scheduledPostId, c.to)
      const settle = () => {
        for (const c of changes) if (underWay.get(c.scheduledPostId) === c.to) underWay.delete(c.scheduledPostId)
      }
      await client.cancelQueries({ queryKey: key('calendar', team.id) })
      show(client, key('calendar', team.id))
      try {
        await moveAll(team.id, changes)
      } catch (e) {
        settle()
        // While the line is down, what is true cannot be fetched. A later move of the same card stays.
        const back = changes.filter(c => !underWay.has(c.scheduledPostId))
        show(client, key('calendar', team.id), new Map(back.map(c => [c.scheduledPostId, c.from])))
        throw e
      } finally {
        for (const noun of ['slots', 'scheduled-posts', 'posts'] as const) {
          client.invalidateQueries({ queryKey: key(noun, team.id) })
        }
        client.invalidateQueries({ queryKey: key('calendar', team.id) }).then(settle)
      }
    },
    [client, team.id],
  )

  return useCallback(
    (changes, done) => {
      const back = changes.map(c => ({ ...c, from: c.to, to: c.from }))
      const undo = () => apply(back).catch(e => toastError('It could not be moved back', e))
      endUndo()
      apply(changes).then(
        () => toast(done, undo),
        e => toastError('The post could not be moved', e),
      )
    },
    [apply],
  )
}

/** Moves all or none: when one is refused, those before it go back. */
export async function moveAll(teamId: string, changes: Change[]) {
  const move = (id: string, scheduledAt: string) =>
    ask(
      api.PATCH('/v1/teams/{teamId}/scheduled-posts/{id}', { params: { path: { teamId, id } }, body: { scheduledAt } }),
    )
  const done: Change[] = []
  try {
    for (const c of changes) {
      await move(c.scheduledPostId, c.to)
      done.push(c)
    }
  } catch (e) {
    for (const c of done) await move(c.scheduledPostId, c.from).catch(() => {})
    throw e
  }
}

/** Moves a card to a time on the clocks of the team. */
export function useMove(): (card: Card, wall: Wall) => void {
  const { zone } = useSession()
  const reschedule = useReschedule()
  return useCallback(
    (card, wall) => {
      const to = movedTo(card, wall, zone)
      if (to !== card.at) reschedule(changesOf(card, to), `Moved to ${formatInstant(to, zone, 'short')}`)
    },
    [reschedule, zone],
  )
}

type Client = ReturnType<typeof useQueryClient>

function show(client: Client, queryKey: QueryKey, to: ReadonlyMap<string, string> = underWay) {
  client.setQueriesData<Calendar>({ queryKey }, old => old && { ...old, entries: moveEntries(old.entries, to) })
}
