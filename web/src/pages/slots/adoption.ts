// Making the default slots a team's own takes a request for each. The first one ends the defaults, so what is left when
// a request fails is remembered: it can be continued, also after a reload.
import { newIdempotencyKey } from '../../api/client'
import { ApiError } from '../../api/error'
import type { Slot } from './model'

export type SlotDraft = Omit<Slot, 'id'>

type Key = Record<string, string>

/** The slots that are being made a team's own, each with the key of its request. */
export type Adoption = { slots: SlotDraft[]; keys: Key[] }

type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const nameOf = (teamId: string) => `crier-adopts-slots:${teamId}`

/** What a team has begun and not finished; null if nothing. */
export function recall(place: Place, teamId: string): Adoption | null {
  try {
    return JSON.parse(place.getItem(nameOf(teamId)) ?? 'null')
  } catch {
    return null
  }
}

/** Begins to adopt slots. Those that were begun already keep their keys. */
export function begin(place: Place, teamId: string, defaults: Slot[]): Adoption {
  const slots = defaults.map(({ hour, minute, label, daysOfWeek }) => ({ hour, minute, label, daysOfWeek }))
  const before = recall(place, teamId)
  if (before && JSON.stringify(before.slots) === JSON.stringify(slots)) return before
  const adoption = { slots, keys: slots.map(newIdempotencyKey) }
  try {
    place.setItem(nameOf(teamId), JSON.stringify(adoption))
  } catch {
    // Where nothing can be stored, it lives as long as the page.
  }
  return adoption
}

export function forget(place: Place, teamId: string) {
  try {
    place.removeItem(nameOf(teamId))
  } catch {
    // Then it was not stored either.
  }
}

/** Whether a team has a slot at the time of another one, on one of its days: it can have one there. */
const taken = (slot: SlotDraft, own: SlotDraft[]) =>
  own.some(
    o => o.hour === slot.hour && o.minute === slot.minute && o.daysOfWeek.some(day => slot.daysOfWeek.includes(day)),
  )

/** What is left to adopt beside the slots that a team has. */
export const leftOf = (adoption: Adoption | null, own: SlotDraft[]): SlotDraft[] =>
  adoption?.slots.filter(s => !taken(s, own)) ?? []

/**
 * Makes what is left the team's own. A request whose answer was lost is sent again with its key. A conflict means that
 * somebody has made the slot meanwhile.
 */
export async function adopt(
  adoption: Adoption,
  own: SlotDraft[],
  create: (slot: SlotDraft, headers: Key) => Promise<unknown>,
) {
  for (const [n, slot] of adoption.slots.entries()) {
    if (taken(slot, own)) continue
    try {
      await create(slot, adoption.keys[n] ?? newIdempotencyKey())
    } catch (e) {
      if (!(e instanceof ApiError && e.status === 409)) throw e
    }
  }
}
