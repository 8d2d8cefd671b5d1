import { describe, expect, it } from 'vitest'
import type { CalendarEntry, SlotInstant } from '../../api/extra'
import { cardsOf, ghostsOf } from '../calendar/model'
import { neighbours, queueOf, swapChanges } from './model'

const zone = 'Europe/Berlin'

function card(postId: string, scheduledAt: string, ids: string[], status: CalendarEntry['status'] = 'scheduled') {
  const entries = ids.map(
    id =>
      ({
        kind: 'scheduled_post',
        scheduledPostId: id,
        postId,
        provider: 'x',
        status,
        scheduledAt,
        text: '',
      }) as CalendarEntry,
  )
  const [made] = cardsOf(entries, zone)
  if (!made) throw new Error('no card')
  return made
}

describe('queueOf', () => {
  it('puts cards and free slots in one order, by the days of the zone', () => {
    const late = card('p1', '2026-11-17T22:30:00Z', ['s1'])
    const next = card('p2', '2026-11-17T23:30:00Z', ['s2'])
    const slot = {
      startsAt: '2026-11-17T20:00:00Z',
      label: null,
      past: false,
      takenBy: [] as never[],
    } as unknown as SlotInstant
    const days = queueOf([late, next], ghostsOf([slot], zone, 0, [late, next]))
    expect(days.map(d => [d.date, d.rows.map(r => r.kind)])).toEqual([
      ['2026-11-17', ['free', 'card']],
      ['2026-11-18', ['card']],
    ])
  })
})

describe('neighbours', () => {
  const at = (hour: number, id: string, status?: CalendarEntry['status']) =>
    card(id, `2026-11-17T${String(hour).padStart(2, '0')}:00:00Z`, [`s-${id}`], status)
  const ids = ({ before, after }: ReturnType<typeof neighbours>) => [before?.postId, after?.postId]

  it('are the nearest cards of another time: those of the same time have nothing to swap', () => {
    const all = [at(8, 'a'), at(9, 'b'), at(9, 'c'), at(9, 'd'), at(10, 'e')]
    expect(all.map(c => ids(neighbours(c, all)))).toEqual([
      [undefined, 'b'],
      ['a', 'e'],
      ['a', 'e'],
      ['a', 'e'],
      ['d', undefined],
    ])
  })

  it('are not what is on its way', () => {
    const all = [at(8, 'a', 'publishing'), at(9, 'b'), at(10, 'c')]
    expect(ids(neighbours(all[1] as (typeof all)[1], all))).toEqual([undefined, 'c'])
  })
})

describe('swapChanges', () => {
  it('gives all accounts of both posts each other’s times', () => {
    const a = card('p1', '2026-11-17T08:00:00Z', ['s1', 's2'])
    const b = card('p2', '2026-11-18T08:00:00Z', ['s3'])
    expect(swapChanges(a, b)).toEqual([
      { scheduledPostId: 's1', from: '2026-11-17T08:00:00Z', to: '2026-11-18T08:00:00.000Z' },
      { scheduledPostId: 's2', from: '2026-11-17T08:00:00Z', to: '2026-11-18T08:00:00.000Z' },
      { scheduledPostId: 's3', from: '2026-11-18T08:00:00Z', to: '2026-11-17T08:00:00.000Z' },
    ])
  })

  it('leaves what has gone out where it is', () => {
    const a = card('p1', '2026-11-17T08:00:00Z', ['s1'], 'published')
    const b = card('p2', '2026-11-18T08:00:00Z', ['s3'])
    expect(swapChanges(a, b).map(c => c.scheduledPostId)).toEqual(['s3'])
  })
})
