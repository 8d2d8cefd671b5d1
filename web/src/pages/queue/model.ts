import { type Card, type Change, changesOf, type Ghost } from '../calendar/model'

/** Free slots are shown for so many days. */
export const freeDays = 7

export type Row = { kind: 'card'; card: Card } | { kind: 'free'; ghost: Ghost }
export type QueueDay = { date: string; rows: Row[] }

/** Cards and free slots in one order, by day. */
export function queueOf(cards: Card[], ghosts: Ghost[]): QueueDay[] {
  const rows: { date: string; at: number; row: Row }[] = [
    ...cards.map(card => ({ date: card.wall.date, at: card.at, row: { kind: 'card' as const, card } })),
    ...ghosts.map(ghost => ({ date: ghost.wall.date, at: ghost.at, row: { kind: 'free' as const, ghost } })),
  ].sort((a, b) => a.at - b.at)
  const days: QueueDay[] = []
  for (const { date, row } of rows) {
    const last = days.at(-1)
    if (last?.date === date) last.rows.push(row)
    else days.push({ date, rows: [row] })
  }
  return days
}

/** The cards that one can swap times with: the nearest before and after it. One of the same time has nothing to swap. */
export function neighbours(card: Card, all: Card[]): { before: Card | undefined; after: Card | undefined } {
  return {
    before: all.findLast(c => c.movable && c.at < card.at),
    after: all.find(c => c.movable && c.at > card.at),
  }
}

/** Gives two cards each other's times. */
export const swapChanges = (a: Card, b: Card): Change[] => [...changesOf(a, b.at), ...changesOf(b, a.at)]
