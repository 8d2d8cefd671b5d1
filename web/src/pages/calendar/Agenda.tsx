import { useMemo } from 'react'
import { buttonClass, EmptyState, Icon } from '../../ui'
import { clock, clockChangeOn, daysBetween, formatDay } from '../../zone'
import styles from './Agenda.module.css'
import { Card } from './Card'
import type { GridProps } from './grid'
import { ClockMark } from './Month'
import { byDay, daysOf } from './model'

/** A list of days that have something: what a phone shows. */
export function Agenda({ range, today, zone, cards, ghosts, held, mayMove, mayWrite, filtered }: GridProps) {
  const cardsByDay = useMemo(() => byDay(cards, c => c.wall.date), [cards])
  const ghostsByDay = useMemo(
    () => byDay(mayWrite && !filtered ? ghosts : [], g => g.wall.date),
    [ghosts, mayWrite, filtered],
  )
  const days = useMemo(
    () => daysOf(range).filter(d => cardsByDay.has(d) || d === today || ghostsByDay.has(d) || clockChangeOn(d, zone)),
    [range, cardsByDay, ghostsByDay, today, zone],
  )
  if (cards.length === 0 && ghosts.length === 0) {
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
  return (
    <ol className={styles.agenda}>
      {days.map(d => {
        const free = ghostsByDay.get(d) ?? []
        const change = clockChangeOn(d, zone)
        return (
          <li key={d} className={styles.day}>
            <h2 className={styles.date} aria-current={d === today ? 'date' : undefined}>
              {formatDay(d, { weekday: 'short', day: 'numeric', month: 'short' })}
              <span>{near(daysBetween(today, d))}</span>
              {change && <ClockMark change={change} />}
            </h2>
            <div className={styles.cards}>
              {cardsByDay.get(d)?.map(c => (
                <Card key={c.id} card={c} held={held === c.id} mayMove={mayMove} />
              ))}
              {d === today && !cardsByDay.has(d) && <p className={styles.none}>Nothing today.</p>}
              {free.length > 0 && (
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
                </div>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

function near(days: number): string {
  return { 0: 'today', 1: 'tomorrow', [-1]: 'yesterday' }[days] ?? ''
}
