import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { Icon } from '../../ui'
import { type ClockChange, clock, clockChangeOn, formatDay, type Wall } from '../../zone'
import { Card } from './Card'
import { type Target, useDrag } from './drag'
import type { GridProps } from './grid'
import styles from './Month.module.css'
import { byDay, type Card as CardData, dayAt, daysOf, type Ghost, shownOf } from './model'

const cardHeight = 26
const dayHead = 30
/** With the gap after it. */
const ghostWidth = 54
const dayPadding = 8
/** Free slots take at most so many lines: the cards matter more. */
const ghostLines = 2
/** A card with a second line takes this many lines. */
const tallLines = 1.75

/** A month of days. What has no room on a day is behind "+n more". */
export function Month({ range, date, today, zone, cards, ghosts, held, mayMove, mayWrite, onMove, onDay }: GridProps) {
  const cells = useRef<HTMLDivElement>(null)
  const days = useMemo(() => daysOf(range), [range])
  const weeks = days.length / 7
  const cardsByDay = useMemo(() => byDay(cards, c => c.wall.date), [cards])
  const ghostsByDay = useMemo(() => byDay(ghosts, g => g.wall.date), [ghosts])
  const room = useRoom(cells, weeks)

  useDrag({
    container: cells,
    enabled: mayMove,
    find: id => cards.find(c => c.id === id),
    locate: (card, at) => locate(cells.current, days, ghosts, card, at.px, at.py),
    onDrop: onMove,
  })

  return (
    <div className={styles.month}>
      <div className={styles.names} aria-hidden="true">
        {days.slice(0, 7).map(d => (
          <span key={d}>{formatDay(d, { weekday: 'short' })}</span>
        ))}
      </div>
      <div ref={cells} className={styles.cells} style={{ gridTemplateRows: `repeat(${weeks}, minmax(6.5rem, 1fr))` }}>
        {days.map(d => (
          <Day
            key={d}
            date={d}
            zone={zone}
            outside={d.slice(0, 7) !== date.slice(0, 7)}
            today={d === today}
            past={d < today}
            cards={cardsByDay.get(d)}
            ghosts={ghostsByDay.get(d)}
            room={room}
            held={held}
            mayMove={mayMove}
            mayWrite={mayWrite}
            onDay={onDay}
          />
        ))}
      </div>
    </div>
  )
}

function locate(
  element: HTMLElement | null,
  days: string[],
  ghosts: Ghost[],
  card: CardData,
  px: number,
  py: number,
): Target<Wall> | null {
  if (!element) return null
  const box = element.getBoundingClientRect()
  const date = dayAt(box, days, px, py)
  if (!date) return null
  const over = document.elementFromPoint(px, py)?.closest<HTMLElement>('[data-ghost]')
  const ghost = over && ghosts.find(g => String(g.at) === over.dataset.ghost)
  const wall: Wall = ghost ? ghost.wall : { date, minutes: card.wall.minutes }
  const n = days.indexOf(date)
  const width = box.width / 7
  const height = box.height / (days.length / 7)
  return {
    value: wall,
    label: `${formatDay(wall.date, { weekday: 'short', day: 'numeric' })}, ${clock(wall.minutes)}`,
    box: { left: box.left + (n % 7) * width, top: box.top + Math.floor(n / 7) * height, width, height },
  }
}

type Room = { lines: number; ghosts: number }

/** How many lines fit into a day, and how many free slots into a line. */
function useRoom(cells: React.RefObject<HTMLElement | null>, weeks: number): Room {
  const [room, setRoom] = useState<Room>({ lines: 3, ghosts: 2 })
  useEffect(() => {
    const element = cells.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      const lines = Math.max(1, Math.floor((element.clientHeight / weeks - dayHead) / cardHeight))
      const ghosts = Math.max(1, Math.floor((element.clientWidth / 7 - dayPadding) / ghostWidth))
      setRoom(r => (r.lines === lines && r.ghosts === ghosts ? r : { lines, ghosts }))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [cells, weeks])
  return room
}

type DayProps = {
  date: string
  zone: string
  outside: boolean
  today: boolean
  past: boolean
  cards: CardData[] | undefined
  ghosts: Ghost[] | undefined
  room: Room
  held: string | null
  mayMove: boolean
  mayWrite: boolean
  onDay: (date: string) => void
}

const Day = memo(function Day(p: DayProps) {
  const cards = p.cards ?? []
  const ghosts = p.mayWrite ? (p.ghosts ?? []) : []
  const room = ghosts.length > 0 && cards.length < p.room.lines ? p.room.lines - 1 : p.room.lines
  const shown = shownOf(cards, room, p.held)
  const hidden = cards.length - shown.length
  const tall = cards.length * tallLines <= room
  const left = p.room.lines - Math.ceil(cards.length * (tall ? tallLines : 1))
  const free = fitting(ghosts, Math.max(1, Math.min(left, ghostLines)) * p.room.ghosts)
  const name = formatDay(p.date, { weekday: 'long', day: 'numeric', month: 'long' })
  const change = useMemo(() => clockChangeOn(p.date, p.zone), [p.date, p.zone])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={`${name}, ${cards.length === 1 ? '1 post' : `${cards.length} posts`}`}
      aria-current={p.today ? 'date' : undefined}
      className={`${styles.day} ${p.outside ? styles.outside : ''} ${p.past ? styles.past : ''}`}
      data-day={p.date}
    >
      <div className={styles.head}>
        <button type="button" className={styles.number} aria-label={`Show ${name}`} onClick={() => p.onDay(p.date)}>
          {Number(p.date.slice(8))}
          {p.date.endsWith('-01') && <span> {formatDay(p.date, { month: 'short' })}</span>}
        </button>
        {change && <ClockMark change={change} />}
        {p.mayWrite && !p.past && (
          <button
            type="button"
            className={styles.add}
            data-new={p.date}
            aria-label={`New post on ${name}`}
            title="New post"
          >
            <Icon name="plus" size={14} />
          </button>
        )}
      </div>
      {shown.map(c => (
        <Card key={c.id} card={c} line tall={tall} held={p.held === c.id} mayMove={p.mayMove} />
      ))}
      {hidden > 0 && (
        <button type="button" className={styles.more} onClick={() => p.onDay(p.date)}>
          +{hidden}
          <span className={styles.word}> more</span>
          <span className="visually-hidden"> on {name}</span>
        </button>
      )}
      {free.length > 0 && cards.length < p.room.lines && (
        <span className={styles.ghosts}>
          {free.map(g => (
            <button
              key={g.at}
              type="button"
              className={styles.ghost}
              data-ghost={g.at}
              aria-label={`New post in the free slot at ${clock(g.wall.minutes)} on ${name}`}
              title={`Free slot${g.label ? `: ${g.label}` : ''}`}
            >
              {clock(g.wall.minutes)}
            </button>
          ))}
          {free.length < ghosts.length && (
            <button type="button" className={styles.more} onClick={() => p.onDay(p.date)}>
              +{ghosts.length - free.length}
              <span className="visually-hidden"> free slots on {name}</span>
            </button>
          )}
        </span>
      )}
    </div>
  )
})

/** As many as there are places; one place is left to say how many more there are. */
function fitting<T>(list: T[], places: number): T[] {
  return list.length <= places ? list : list.slice(0, Math.max(1, places - 1))
}

/** Says that the clocks of the zone change on this day. */
export function ClockMark({ change }: { change: ClockChange }) {
  const forward = change.by > 0
  const text = `Clocks go ${forward ? 'forward' : 'back'} from ${clock(change.from)} to ${clock(change.to)}`
  return (
    <span className={styles.clock} title={text}>
      <Icon name="clock" size={14} label={text} />
      <span aria-hidden="true">
        {forward ? '+' : '−'}
        {Math.abs(change.by) % 60 === 0 ? `${Math.abs(change.by) / 60} h` : `${Math.abs(change.by)} min`}
      </span>
    </span>
  )
}
