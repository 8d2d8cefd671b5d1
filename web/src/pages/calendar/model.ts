// What the calendar computes: which days it shows, which cards stand on them and where a move leads. No DOM, no clock of
// the browser: instants come in, the zone is the team's.
import type { CalendarEntry, SlotInstant } from '../../api/extra'
import type { MediaKind, Provider } from '../../ui'
import {
  addDays,
  addMonths,
  daysBetween,
  formatDay,
  instantOf,
  startOfMonth,
  startOfWeek,
  type Wall,
  wallAt,
} from '../../zone'

export type View = 'month' | 'week' | 'day' | 'agenda'
export const views: View[] = ['month', 'week', 'day', 'agenda']

export const agendaDays = 31
/** A drop in a time grid falls on a multiple of this. */
export const snapMinutes = 15

/** The days that a view shows: from is the first, to the one after the last. */
export type Range = { from: string; to: string }

export function rangeOf(view: View, date: string, firstDay: number): Range {
  switch (view) {
    case 'month': {
      const from = startOfWeek(startOfMonth(date), firstDay)
      const next = startOfMonth(addMonths(startOfMonth(date), 1))
      const weeks = Math.ceil(daysBetween(from, next) / 7)
      return { from, to: addDays(from, weeks * 7) }
    }
    case 'week': {
      const from = startOfWeek(date, firstDay)
      return { from, to: addDays(from, 7) }
    }
    case 'day':
      return { from: date, to: addDays(date, 1) }
    case 'agenda':
      return { from: date, to: addDays(date, agendaDays) }
  }
}

export function daysOf({ from, to }: Range): string[] {
  return Array.from({ length: daysBetween(from, to) }, (_, n) => addDays(from, n))
}

/** The date that one step to the next (1) or the previous (-1) period leads to. */
export function step(view: View, date: string, by: 1 | -1): string {
  if (view === 'month') return addMonths(startOfMonth(date), by)
  return addDays(date, by * { week: 7, day: 1, agenda: agendaDays }[view])
}

export function titleOf(view: View, date: string, range: Range): string {
  if (view === 'month') return formatDay(date, { month: 'long', year: 'numeric' })
  if (view === 'day') return formatDay(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const last = addDays(range.to, -1)
  const sameMonth = range.from.slice(0, 7) === last.slice(0, 7)
  const first = formatDay(range.from, sameMonth ? { day: 'numeric' } : { day: 'numeric', month: 'short' })
  return `${first} – ${formatDay(last, { day: 'numeric', month: 'short', year: 'numeric' })}`
}

/** One post at one time, on one or several accounts. */
export type Card = {
  id: string
  kind: CalendarEntry['kind']
  postId: string
  at: number
  wall: Wall
  entries: CalendarEntry[]
  providers: Provider[]
  title: string
  thumbnailUrl: string | null
  /** What goes out with the text; null for a text alone. */
  media: MediaKind | null
  /** The state that a person should hear about first. */
  status: string
  /** It failed, and needs nobody any more. */
  settled: boolean
  /** How many of the entries are in that state. */
  inStatus: number
  /** The latest of its publications, in milliseconds after their time; null before. */
  lateMillis: number | null
  /** Something of it is still to go out, so that it can be moved. */
  movable: boolean
}

/** States by how much they want to be seen. */
const urgency = [
  'failed',
  'missed',
  'unknown',
  'publishing',
  'processing',
  'scheduled',
  'recurrence',
  'published',
  'canceled',
]

const statusOf = (e: CalendarEntry): string => (e.kind === 'recurrence' ? 'recurrence' : (e.status ?? 'scheduled'))

const mediaOf: Partial<Record<string, MediaKind>> = { text_image: 'image', text_video: 'video', carousel: 'several' }

const isFailure = (e: CalendarEntry) => e.status === 'failed' || e.status === 'missed'

/** What is at one time of one post is one card. */
export function cardId({ kind, postId }: Pick<CalendarEntry, 'kind' | 'postId'>, at: number): string {
  return `${kind === 'recurrence' ? 'r' : 'p'}-${postId}-${at}`
}

/** Cards by time; a post that goes to several accounts at the same time is one card. */
export function cardsOf(entries: CalendarEntry[], zone: string): Card[] {
  const groups = new Map<string, CalendarEntry[]>()
  for (const e of entries) {
    const id = cardId(e, Date.parse(e.scheduledAt))
    const group = groups.get(id)
    if (group) group.push(e)
    else groups.set(id, [e])
  }
  const cards = Array.from(groups, ([id, group]) => cardOf(id, group, zone))
  return cards.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
}

function cardOf(id: string, entries: CalendarEntry[], zone: string): Card {
  const first = entries[0] as CalendarEntry
  const at = Date.parse(first.scheduledAt)
  const states = entries.map(statusOf)
  // A failure that was mended elsewhere, or that somebody has seen, is nobody's first concern any more.
  const open = entries.filter(e => e.needsAttention || !isFailure(e)).map(statusOf)
  const status = urgency.find(s => (open.length > 0 ? open : states).includes(s)) ?? (states[0] as string)
  const late = entries.flatMap(e => (e.lateMillis === undefined ? [] : [e.lateMillis]))
  return {
    id,
    kind: first.kind,
    postId: first.postId,
    at,
    wall: wallAt(at, zone),
    entries,
    providers: [...new Set(entries.map(e => e.provider))],
    title: first.title || first.text || '',
    thumbnailUrl: entries.find(e => e.thumbnailUrl)?.thumbnailUrl ?? null,
    media: mediaOf[first.postType] ?? null,
    status,
    settled: open.length === 0,
    inStatus: states.filter(s => s === status).length,
    lateMillis: late.length ? Math.max(...late) : null,
    movable: first.kind === 'scheduled_post' && states.includes('scheduled'),
  }
}

/** What the address bar asks to see: lists are joined by commas, and an empty one means everything. */
export type Filter = { account: string[]; network: string[]; status: string[]; tag: string[] }

export function filterOf(search: Record<string, string | undefined>): Filter {
  const list = (text: string | undefined) => (text ? text.split(',') : [])
  return {
    account: list(search.account),
    network: list(search.network),
    status: list(search.status),
    tag: list(search.tag),
  }
}

export const isFiltered = (f: Filter) => Object.values(f).some(list => list.length > 0)

/** A card is shown whole when one of its accounts fits: moving it moves all of it. */
export function fits(card: Card, f: Filter): boolean {
  const any = (wanted: string[], test: (e: CalendarEntry, value: string) => boolean) =>
    wanted.length === 0 || card.entries.some(e => wanted.some(v => test(e, v)))
  return (
    any(f.account, (e, v) => e.socialAccountId === v) &&
    any(f.network, (e, v) => e.provider === v) &&
    any(f.status, (e, v) => statusOf(e) === v) &&
    any(f.tag, (e, v) => e.userTags?.some(t => t.id === v) ?? false)
  )
}

export function byDay<T>(items: T[], dateOf: (item: T) => string): Map<string, T[]> {
  const days = new Map<string, T[]>()
  for (const item of items) {
    const date = dateOf(item)
    const day = days.get(date)
    if (day) day.push(item)
    else days.set(date, [item])
  }
  return days
}

/** Slots that nothing takes and that are still ahead, with their place on the wall clock. */
export type Ghost = { at: number; wall: Wall; label: string | null }

/**
 * A slot is taken to the second, so that a post half a minute later leaves it free. People read minutes: a slot that a
 * card of its minute stands beside is not offered.
 */
export function ghostsOf(slots: SlotInstant[], zone: string, now: number, cards: Card[]): Ghost[] {
  const minuteOf = (at: number) => Math.floor(at / 60_000)
  const busy = new Set(cards.filter(c => c.status !== 'canceled').map(c => minuteOf(c.at)))
  return slots
    .filter(s => s.takenBy.length === 0 && !s.past && Date.parse(s.startsAt) > now + 60_000)
    .filter(s => !busy.has(minuteOf(Date.parse(s.startsAt))))
    .map(s => ({ at: Date.parse(s.startsAt), wall: wallAt(Date.parse(s.startsAt), zone), label: s.label }))
}

/** The instant that a card moves to: its seconds stay what they were. */
export function movedTo(card: Pick<Card, 'at'>, wall: Wall, zone: string): number {
  const rest = ((card.at % 60_000) + 60_000) % 60_000
  return instantOf(wall, zone) + rest
}

export type Change = { scheduledPostId: string; from: string; to: string }

/** What moving a card to an instant changes: all of it that has not gone out. */
export function changesOf(card: Card, to: number): Change[] {
  return card.entries
    .filter(e => e.status === 'scheduled')
    .map(e => ({ scheduledPostId: e.scheduledPostId, from: e.scheduledAt, to: new Date(to).toISOString() }))
}

/** The entries, with those that are being moved at the instants that they are moved to. */
export function moveEntries(entries: CalendarEntry[], to: ReadonlyMap<string, string>): CalendarEntry[] {
  if (to.size === 0) return entries
  return entries.map(e => {
    const at = e.kind === 'scheduled_post' ? to.get(e.scheduledPostId) : undefined
    return at ? { ...e, scheduledAt: at } : e
  })
}

/** Where a key leads a card that is held: a day, a week in the month view, a quarter of an hour elsewhere. */
export function moveByKey(view: View, wall: Wall, pressed: string): Wall | null {
  const days = { ArrowLeft: -1, ArrowRight: 1 }[pressed]
  if (days) return { ...wall, date: addDays(wall.date, days) }
  if (view === 'month') {
    const weeks = { ArrowUp: -7, ArrowDown: 7 }[pressed]
    if (weeks) return { ...wall, date: addDays(wall.date, weeks) }
  }
  const minutes = { ArrowUp: -snapMinutes, ArrowDown: snapMinutes, PageUp: -60, PageDown: 60 }[pressed]
  return minutes ? addMinutes(wall, minutes) : null
}

/** Wall-clock minutes later, on to the next day where they pass midnight; off the grid they go to it first. */
export function addMinutes(wall: Wall, by: number): Wall {
  const grid = Math.abs(by) < 60 ? snapMinutes : 1
  const steps = by / grid
  const from = steps > 0 ? Math.floor(wall.minutes / grid) : Math.ceil(wall.minutes / grid)
  const minutes = (from + steps) * grid
  const days = Math.floor(minutes / 1440)
  return { date: addDays(wall.date, days), minutes: minutes - days * 1440 }
}

/** The cards of a day that have room; the one that the keyboard holds is among them, or the keys would be lost with it. */
export function shownOf(cards: Card[], room: number, held: string | null): Card[] {
  if (cards.length <= room) return cards
  const inHand = cards.find(c => c.id === held)
  const shown = cards.slice(0, Math.max(inHand ? 1 : 0, room - 1)) // one line says how many more there are
  if (!inHand || shown.includes(inHand)) return shown
  return [...shown.slice(0, -1), inHand]
}

type Box = { left: number; top: number; width: number; height: number }

/** The day of a month grid under a point; null outside. */
export function dayAt(box: Box, days: string[], x: number, y: number): string | null {
  const weeks = days.length / 7
  const column = Math.floor(((x - box.left) / box.width) * 7)
  const row = Math.floor(((y - box.top) / box.height) * weeks)
  if (column < 0 || column > 6 || row < 0 || row >= weeks) return null
  return days[row * 7 + column] ?? null
}

/** The time in a time grid under a point: on a free slot that is near, else on the grid. box is the grid as scrolled. */
export function timeAt(box: Box, days: string[], ghosts: Ghost[], x: number, y: number): Wall | null {
  const column = Math.floor(((x - box.left) / box.width) * days.length)
  const date = days[column]
  if (date === undefined) return null
  const exact = Math.max(0, Math.min(1439, ((y - box.top) / box.height) * 1440))
  const near = ghosts
    .filter(g => g.wall.date === date && Math.abs(g.wall.minutes - exact) <= snapMinutes)
    .sort((a, b) => Math.abs(a.wall.minutes - exact) - Math.abs(b.wall.minutes - exact))[0]
  if (near) return near.wall
  return { date, minutes: Math.min(1440 - snapMinutes, Math.round(exact / snapMinutes) * snapMinutes) }
}

/** Where a card stands in the column of its day. */
export type Placed = { card: Card; lane: number; lanes: number }
export type Column = { placed: Placed[]; hidden: { hour: number; cards: Card[] }[] }

/** Puts the cards of a day beside each other where they would cover each other; what has no room is counted by the hour. */
export function layoutDay(cards: Card[], cardMinutes: number, maxLanes: number): Column {
  const placed: Placed[] = []
  const hidden = new Map<number, Card[]>()
  let ends: number[] = []
  let cluster: Placed[] = []
  for (const card of cards) {
    const start = card.wall.minutes
    if (ends.every(end => end <= start)) {
      close(cluster, ends.length)
      ends = []
      cluster = []
    }
    const free = ends.findIndex(end => end <= start)
    const lane = free >= 0 ? free : ends.length
    if (lane >= maxLanes) {
      const hour = Math.floor(start / 60)
      hidden.set(hour, [...(hidden.get(hour) ?? []), card])
      continue
    }
    ends[lane] = start + cardMinutes
    const one = { card, lane, lanes: 1 }
    cluster.push(one)
    placed.push(one)
  }
  close(cluster, ends.length)
  return { placed, hidden: Array.from(hidden, ([hour, list]) => ({ hour, cards: list })) }
}

function close(cluster: Placed[], lanes: number) {
  for (const p of cluster) p.lanes = lanes
}

/** A card in a column that is too narrow for two beside each other: top is its place in minutes of the day. */
export type Stacked = { card: Card; top: number; tall: boolean }
export type Stack = { placed: Stacked[]; hidden: { top: number; cards: Card[] }[] }

/**
 * Puts the cards of a day below each other: one that would cover the one before moves down a little, and those that would have
 * to move too far are counted. A card with room below it is tall.
 */
export function stackDay(cards: Card[], lineMinutes: number, tallMinutes: number): Stack {
  const placed: Stacked[] = []
  const hidden: Stack['hidden'] = []
  let bottom = 0
  cards.forEach((card, n) => {
    const top = Math.min(Math.max(card.wall.minutes, bottom), 1440 - lineMinutes)
    const group = hidden.at(-1)
    if (top - card.wall.minutes > 2 * lineMinutes || (top < bottom && bottom > 0)) {
      if (group && group.top === bottom) group.cards.push(card)
      else hidden.push({ top: bottom, cards: [card] })
      return
    }
    const next = cards[n + 1]
    const tall = !next || next.wall.minutes >= top + tallMinutes
    bottom = top + (tall ? tallMinutes : lineMinutes)
    placed.push({ card, top, tall: tall && top + tallMinutes <= 1440 })
  })
  return { placed, hidden }
}
