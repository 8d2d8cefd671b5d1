import { useEffect, useMemo, useRef } from 'react'
import { buttonClass, EmptyState, Icon } from '../../ui'
import { clock, clockChangeOn, daysBetween, formatDay, type Wall } from '../../zone'
import styles from './Agenda.module.css'
import { Card } from './Card'
import { type Target, useDrag } from './drag'
import type { GridProps } from './grid'
import { ClockMark } from './Month'
import { byDay, type Card as CardData, daysOf, type Ghost } from './model'

/** A list of days: those of a week that are not over, else those that have something. What a phone shows. */
export function Agenda(props: GridProps) {
  const { view, range, today, zone, cards, ghosts, held, mayMove, mayWrite, filtered, onMove } = props
  const week = view === 'week'
  const list = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLElement | null>(null)
  useEffect(() => {
    page.current = document.getElementById('main')
  }, [])
  useDrag({
    container: list,
    scroller: page,
    enabled: mayMove,
    find: id => cards.find(c => c.id === id),
    locate: (card, at) => locate(ghosts, card, at.px, at.py),
    onDrop: onMove,
  })
  const cardsByDay = useMemo(() => byDay(cards, c => c.wall.date), [cards])
  const ghostsByDay = useMemo(
    () => byDay(mayWrite && !filtered ? ghosts : [], g => g.wall.date),
    [ghosts, mayWrite, filtered],
  )
  const days = useMemo(
    () =>
      daysOf(range).filter(
        d => (week && d >= today) || cardsByDay.has(d) || d === today || ghostsByDay.has(d) || clockChangeOn(d, zone),
      ),
    [week, range, cardsByDay, ghostsByDay, today, zone],
  )
  return (
    <div ref={list}>
      {days.length === 0 || (!week && cards.length === 0 && ghosts.length === 0) ? (
        <Nothing {...props} />
      ) : (
        <ol className={styles.agenda}>
          {days.map(d => (
            <Day
              key={d}
              date={d}
              today={today}
              zone={zone}
              cards={cardsByDay.get(d) ?? []}
              free={ghostsByDay.get(d) ?? []}
              held={held}
              mayMove={mayMove}
              mayWrite={mayWrite && !filtered}
            />
          ))}
        </ol>
      )}
    </div>
  )
}

/** A card falls on the free slot under the pointer, else on the day under it, where it keeps its time of day. */
function locate(ghosts: Ghost[], card: CardData, px: number, py: number): Target<Wall> | null {
  const under = document.elementFromPoint(px, py)
  const day = under?.closest<HTMLElement>('[data-drop]')
  if (!day) return null
  const slot = under?.closest<HTMLElement>('[data-ghost]')
  const ghost = slot && ghosts.find(g => String(g.at) === slot.dataset.ghost)
  const wall: Wall = ghost ? ghost.wall : { date: day.dataset.drop as string, minutes: card.wall.minutes }
  const { left, top, width, height } = (ghost ? (slot as HTMLElement) : day).getBoundingClientRect()
  return {
    value: wall,
    label: `${formatDay(wall.date, { weekday: 'short', day: 'numeric' })}, ${clock(wall.minutes)}`,
    box: { left, top, width, height },
  }
}

function Nothing({ range, mayWrite, filtered }: GridProps) {
  return (
    <EmptyState
      icon="calendar"
      title={filtered ? 'Nothing fits the filters here' : 'Nothing is planned here'}
      action={
        mayWrite && !filtered ? (
          <button type="button" data-new={range.from} className={buttonClass({ kind: 'primary' })}>
            Write a post
          </button>
        ) : undefined
      }
    />
  )
}

function Day({
  date,
  today,
  zone,
  cards,
  free,
  held,
  mayMove,
  mayWrite,
}: {
  date: string
  today: string
  zone: string
  cards: CardData[]
  free: Ghost[]
  held: string | null
  mayMove: boolean
  mayWrite: boolean
}) {
  const change = clockChangeOn(date, zone)
  const write = mayWrite && free.length === 0 && date >= today
  return (
    <li className={styles.day} data-drop={date}>
      <h2 className={styles.date} aria-current={date === today ? 'date' : undefined}>
        {formatDay(date, { weekday: 'short', day: 'numeric', month: 'short' })}
        <span>{near(daysBetween(today, date))}</span>
        {change && <ClockMark change={change} />}
      </h2>
      <div className={styles.cards}>
        {cards.map(c => (
          <Card key={c.id} card={c} held={held === c.id} mayMove={mayMove} />
        ))}
        {cards.length === 0 && !write && free.length === 0 && <p className={styles.none}>Nothing.</p>}
        {(free.length > 0 || write) && (
          <div className={styles.ghosts}>
            {free.map(g => (
              <button
                key={g.at}
                type="button"
                className={styles.ghost}
                data-ghost={g.at}
                aria-label={`New post in the free slot at ${clock(g.wall.minutes)}`}
              >
                <Icon name="plus" size={14} />
                {clock(g.wall.minutes)}
              </button>
            ))}
            {write && (
              <button
                type="button"
                className={styles.ghost}
                data-new={date}
                aria-label={`New post on ${formatDay(date, { weekday: 'long', day: 'numeric', month: 'long' })}`}
              >
                <Icon name="plus" size={14} />
                New post
              </button>
            )}
          </div>
        )}
      </div>
    </li>
  )
}

function near(days: number): string {
  return { 0: 'today', 1: 'tomorrow', [-1]: 'yesterday' }[days] ?? ''
}
