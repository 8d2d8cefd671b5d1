import { type MouseEvent, useEffect, useMemo, useRef } from 'react'
import { serverNow, useNow, useSession } from '../../session'
import { clock, clockChangeOn, formatDay, instantOf, minutesOf, type Wall, wallAt } from '../../zone'
import { Card } from './Card'
import { type Target, useDrag } from './drag'
import type { GridProps } from './grid'
import { ClockMark } from './Month'
import { byDay, type Card as CardData, daysOf, layoutDay, stackDay, timeAt } from './model'
import styles from './TimeGrid.module.css'

const hourHeight = 52
const cardHeight = 46
const cardMinutes = (cardHeight / hourHeight) * 60
const lineHeight = 24
const lineMinutes = ((lineHeight + 1) / hourHeight) * 60
const lanes = 5
const none: CardData[] = []
const hours = Array.from({ length: 24 }, (_, h) => h)

/** A week or a day on a grid of hours. */
export function TimeGrid({
  range,
  today,
  zone,
  cards,
  ghosts,
  held,
  mayMove,
  mayWrite,
  onMove,
  onDay,
  onNew,
}: GridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const grid = useRef<HTMLDivElement>(null)
  const days = useMemo(() => daysOf(range), [range])
  const cardsByDay = useMemo(() => byDay(cards, c => c.wall.date), [cards])
  const ghostsByDay = useMemo(() => byDay(mayWrite ? ghosts : [], g => g.wall.date), [ghosts, mayWrite])

  useDrag({
    container: grid,
    scroller,
    enabled: mayMove,
    find: id => cards.find(c => c.id === id),
    locate: (_, at): Target<Wall> | null => {
      const box = grid.current?.getBoundingClientRect()
      const wall = box && timeAt(box, days, ghosts, at.px, at.y)
      if (!box || !wall) return null
      const width = box.width / days.length
      return {
        value: wall,
        label: `${formatDay(wall.date, { weekday: 'short', day: 'numeric' })}, ${clock(wall.minutes)}`,
        box: {
          left: box.left + days.indexOf(wall.date) * width,
          top: box.top + (wall.minutes / 60) * hourHeight,
          width,
          height: cardHeight,
        },
      }
    },
    onDrop: onMove,
  })
  const shown = cards.filter(c => days.includes(c.wall.date)).map(c => c.wall.minutes)
  const firstMinutes = shown.length ? Math.min(...shown) : undefined
  useFirstScroll(scroller, days, firstMinutes, today, zone)

  const onClick = (e: MouseEvent) => {
    const box = grid.current?.getBoundingClientRect()
    if (!mayWrite || !box || !(e.target as HTMLElement).hasAttribute('data-column')) return
    const wall = timeAt(box, days, ghosts, e.clientX, e.clientY)
    if (wall) onNew(instantOf(wall, zone))
  }

  return (
    <div ref={scroller} className={styles.scroller}>
      <div className={styles.inner} style={{ '--days': days.length } as React.CSSProperties}>
        <div className={styles.heads}>
          <span className={styles.corner} />
          {days.map(d => (
            <DayHead key={d} date={d} today={d === today} zone={zone} onDay={days.length > 1 ? onDay : undefined} />
          ))}
        </div>
        <div className={styles.body}>
          <div className={styles.hours} aria-hidden="true">
            {hours.map(h => (
              <span key={h}>{h > 0 && clock(h * 60)}</span>
            ))}
          </div>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key N and the buttons of free slots do the same */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: an empty time is no control of its own */}
          <div ref={grid} className={styles.grid} onClick={onClick}>
            {days.map(d => (
              <DayColumn
                key={d}
                date={d}
                zone={zone}
                today={d === today}
                cards={cardsByDay.get(d) ?? none}
                alone={days.length === 1}
                ghosts={ghostsByDay.get(d) ?? []}
                held={held}
                mayMove={mayMove}
                onDay={onDay}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

function DayHead({
  date,
  today,
  zone,
  onDay,
}: {
  date: string
  today: boolean
  zone: string
  onDay?: (d: string) => void
}) {
  const change = useMemo(() => clockChangeOn(date, zone), [date, zone])
  const name = (
    <>
      {formatDay(date, { weekday: 'short' })} <strong>{Number(date.slice(8))}</strong>
    </>
  )
  return (
    <div className={styles.dayHead} aria-current={today ? 'date' : undefined}>
      {onDay ? (
        <button type="button" onClick={() => onDay(date)} aria-label={`Show ${formatDay(date, { dateStyle: 'full' })}`}>
          {name}
        </button>
      ) : (
        <span>{name}</span>
      )}
      {change && <ClockMark change={change} />}
    </div>
  )
}

type Spot = { card: CardData; top: number; left: number; width: number; tall: boolean }
type More = { top: number; cards: CardData[] }

/**
 * Where the cards of a day stand: beside each other where a day has the width of the page, else below each other. The one
 * that the keyboard holds stands above the others, at its time.
 */
function spotsOf(cards: CardData[], alone: boolean, held: string | null): { spots: Spot[]; more: More[] } {
  const inHand = cards.find(c => c.id === held)
  if (inHand) {
    const { spots, more } = spotsOf(
      cards.filter(c => c !== inHand),
      alone,
      null,
    )
    return { spots: [...spots, { card: inHand, top: inHand.wall.minutes, left: 0, width: 1, tall: true }], more }
  }
  if (alone) {
    const { placed, hidden } = layoutDay(cards, cardMinutes, lanes)
    return {
      spots: placed.map(p => ({
        card: p.card,
        top: p.card.wall.minutes,
        left: p.lane / p.lanes,
        width: 1 / p.lanes,
        tall: true,
      })),
      more: hidden.map(h => ({ top: h.hour * 60 + 45, cards: h.cards })),
    }
  }
  const { placed, hidden } = stackDay(cards, lineMinutes, cardMinutes)
  return { spots: placed.map(p => ({ ...p, left: 0, width: 1 })), more: hidden }
}

function DayColumn({
  date,
  zone,
  today,
  cards,
  alone,
  ghosts,
  held,
  mayMove,
  onDay,
}: {
  date: string
  zone: string
  today: boolean
  cards: CardData[]
  /** It is the only day, so that it has the width of the page. */
  alone: boolean
  ghosts: GridProps['ghosts']
  held: string | null
  mayMove: boolean
  onDay: (date: string) => void
}) {
  const change = useMemo(() => clockChangeOn(date, zone), [date, zone])
  const { spots, more } = useMemo(() => spotsOf(cards, alone, held), [cards, alone, held])
  const name = formatDay(date, { weekday: 'long', day: 'numeric', month: 'long' })
  const top = (minutes: number) => `${(minutes / 60) * hourHeight}px`
  const count = cards.length
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      className={styles.column}
      data-column={date}
      role="group"
      aria-label={`${name}, ${count === 1 ? '1 post' : `${count} posts`}`}
    >
      {change && change.by > 0 && (
        <span
          className={styles.skipped}
          style={{ top: top(change.from), height: top(change.by) }}
          title="The clocks skip this time"
        />
      )}
      {ghosts.map(g => (
        <button
          key={g.at}
          type="button"
          className={styles.ghost}
          data-ghost={g.at}
          style={{ top: top(g.wall.minutes) }}
          aria-label={`New post in the free slot at ${clock(g.wall.minutes)} on ${name}`}
        >
          {clock(g.wall.minutes)} <span>{g.label ?? 'free slot'}</span>
        </button>
      ))}
      {spots.map(({ card, tall, left, width, ...spot }) => (
        <div
          key={card.id}
          className={styles.place}
          style={{
            top: top(spot.top),
            left: `${left * 100}%`,
            width: `${width * 100}%`,
            height: tall ? cardHeight : lineHeight,
          }}
        >
          <Card card={card} line={!tall} held={held === card.id} mayMove={mayMove} />
        </div>
      ))}
      {more.map(m => (
        <button
          key={m.top}
          type="button"
          className={styles.hidden}
          style={{ top: top(m.top) }}
          onClick={() => onDay(date)}
        >
          +{m.cards.length} more<span className="visually-hidden"> on {name}</span>
        </button>
      ))}
      {today && <NowLine date={date} zone={zone} />}
    </div>
  )
}

/** Where the day has got to. */
function NowLine({ date, zone }: { date: string; zone: string }) {
  const wall = wallAt(useNow(30_000), zone)
  if (wall.date !== date) return null
  return <span className={styles.now} style={{ top: `${(wall.minutes / 60) * hourHeight}px` }} title="Now" />
}

/** Shows the part of the day where something happens: now, the first post, or the morning. */
function useFirstScroll(
  scroller: React.RefObject<HTMLElement | null>,
  days: string[],
  first: number | undefined,
  today: string,
  zone: string,
) {
  const session = useSession()
  const done = useRef('')
  const name = `${days[0]} ${days.length} ${first === undefined}`
  useEffect(() => {
    if (!scroller.current || done.current === name) return
    done.current = name
    const now = days.includes(today) ? wallAt(serverNow(session), zone).minutes - 60 : minutesOf('07:00')
    const minutes = Math.max(0, Math.min(now, (first ?? 24 * 60) - 30))
    scroller.current.scrollTop = (minutes / 60) * hourHeight
    // On a phone a week is wider than the window: it begins with today.
    const column = scroller.current.querySelector<HTMLElement>(`[data-column="${today}"]`)
    const leftmost = scroller.current.querySelector<HTMLElement>('[data-column]')
    if (column && leftmost) scroller.current.scrollLeft = column.offsetLeft - leftmost.offsetLeft
  }, [scroller, name, days, first, today, zone, session])
}
