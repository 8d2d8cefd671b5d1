import type { Wall } from '../../zone'
import type { Card, Ghost, Range, View } from './model'

/** What every view of the calendar is given. */
export type GridProps = {
  view: View
  range: Range
  /** The day that was asked for: the range may show others too. */
  date: string
  today: string
  zone: string
  cards: Card[]
  ghosts: Ghost[]
  filtered: boolean
  /** The card that the keyboard holds. */
  held: string | null
  mayMove: boolean
  mayWrite: boolean
  onMove: (card: Card, wall: Wall) => void
  onDay: (date: string) => void
  onNew: (at: number) => void
}
