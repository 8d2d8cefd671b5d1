// Moving a card with the keyboard: space takes it, arrows move it, Enter or space drops it, Escape puts it back.
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { clock, formatDay, type Wall } from '../../zone'
import { type Card, cardId, moveByKey, movedTo, type Range, type View } from './model'

export type Held = { card: Card; wall: Wall }

type Spec = {
  view: View
  range: Range
  zone: string
  cards: Card[]
  mayMove: boolean
  onDrop: (card: Card, wall: Wall) => void
  /** Shows another day, because the card was moved off what is shown. */
  onShow: (date: string) => void
}

export function useHold({ view, range, zone, cards, mayMove, onDrop, onShow }: Spec) {
  const [held, setHeld] = useState<Held | null>(null)
  const [said, setSaid] = useState('')
  const focusOn = useRef<string | null>(null)

  // The card is drawn elsewhere after each move, as a new element: the focus follows it.
  useEffect(() => {
    if (!focusOn.current) return
    const card = document.querySelector<HTMLElement>(`[data-id="${CSS.escape(focusOn.current)}"]`)
    if (!card) return
    card.focus()
    card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    if (!held) focusOn.current = null
  })

  const onKeyDown = useCallback(
    (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return
      if (!held) {
        const id = (e.target as HTMLElement).closest<HTMLElement>('[data-card]')?.dataset.card
        const card = id && cards.find(c => c.id === id)
        if (e.key !== ' ' || !card || !mayMove) return
        e.preventDefault()
        focusOn.current = card.id
        setHeld({ card, wall: card.wall })
        setSaid(`Taken. ${where(card.wall)}. Arrow keys move it, Enter drops it, Escape puts it back.`)
        return
      }
      e.stopPropagation()
      if (e.key === 'Escape' || e.key === 'Tab') {
        setHeld(null)
        setSaid('Put back.')
        if (e.key === 'Escape') e.preventDefault()
        return
      }
      if (e.key === 'Enter' || e.key === ' ') {
        e.preventDefault()
        focusOn.current = cardId(held.card, movedTo(held.card, held.wall, zone))
        setHeld(null)
        setSaid(`Dropped. ${where(held.wall)}.`)
        onDrop(held.card, held.wall)
        return
      }
      const wall = moveByKey(view, held.wall, e.key)
      if (!wall) return
      e.preventDefault()
      setHeld({ ...held, wall })
      setSaid(where(wall))
      if (wall.date < range.from || wall.date >= range.to) onShow(wall.date)
    },
    [held, cards, mayMove, view, range, zone, onDrop, onShow],
  )

  const shown = useMemo(() => {
    if (!held) return cards
    const others = cards.filter(c => c.id !== held.card.id)
    return [...others, { ...held.card, wall: held.wall }].sort((a, b) => order(a.wall).localeCompare(order(b.wall)))
  }, [cards, held])

  return { held, said, shown, onKeyDown }
}

const order = (w: Wall) => `${w.date} ${clock(w.minutes)}`
const where = (w: Wall) =>
  `${formatDay(w.date, { weekday: 'long', day: 'numeric', month: 'long' })}, ${clock(w.minutes)}`
