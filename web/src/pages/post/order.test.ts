import { describe, expect, it } from 'vitest'
import { inOrder, isReplaced, sentAgain } from './order'

type Delivery = Parameters<typeof isReplaced>[0]

const delivery = (id: string, status: string, more: Partial<Delivery> = {}): Delivery => ({
  id,
  socialAccountId: 'x1',
  status: status as Delivery['status'],
  needsAttention: ['failed', 'missed', 'unknown'].includes(status),
  createdAt: '2026-11-17T08:00:00.000Z',
  recurrence: null,
  ...more,
})
const later = '2026-11-17T09:00:00.000Z'
const recurrence: Delivery['recurrence'] = { recurrenceIntervalDays: 7, status: 'active' } as never
const ids = (list: Delivery[]) => list.map(d => d.id)

it('finds the failures on accounts that a post was sent to again, and leaves unknown ones', () => {
  const list = [
    delivery('failed', 'failed'),
    delivery('missed', 'missed'),
    delivery('unknown', 'unknown'),
    delivery('seen', 'failed', { needsAttention: false }),
    delivery('elsewhere', 'failed', { socialAccountId: 'f1' }),
    delivery('new', 'published', { createdAt: later }),
  ]
  expect(ids(sentAgain(list, ['x1']))).toEqual(['failed', 'missed'])
})

describe('isReplaced', () => {
  const seen = delivery('a', 'failed', { needsAttention: false })
  const cases: [string, Delivery, Delivery, boolean][] = [
    ['published later', seen, delivery('b', 'published', { createdAt: later }), true],
    ['planned later', seen, delivery('b', 'scheduled', { createdAt: later }), true],
    ['failed later', seen, delivery('b', 'failed', { createdAt: later }), true],
    ['canceled later', seen, delivery('b', 'canceled', { createdAt: later }), false],
    ['published before', seen, delivery('b', 'published', { createdAt: '2026-11-17T07:00:00.000Z' }), false],
    ['published elsewhere', seen, delivery('b', 'published', { createdAt: later, socialAccountId: 'f1' }), false],
    ['published later, not dismissed', delivery('a', 'failed'), delivery('b', 'published', { createdAt: later }), true],
    [
      'the next of a series',
      delivery('a', 'failed', { recurrence }),
      delivery('b', 'scheduled', { createdAt: later }),
      false,
    ],
  ]
  it.each(cases)('%s', (_, one, other, want) => {
    expect(isReplaced(one, [one, other])).toBe(want)
  })
})

it('puts what needs a person first, and what is over last', () => {
  const list = [
    delivery('canceled', 'canceled', { socialAccountId: 'l1' }),
    delivery('replaced', 'failed', { needsAttention: false }),
    delivery('published', 'published', { createdAt: later }),
    delivery('failed', 'failed', { socialAccountId: 'f1' }),
    delivery('unknown', 'unknown', { socialAccountId: 't1' }),
  ]
  expect(ids(inOrder(list))).toEqual(['failed', 'unknown', 'published', 'canceled', 'replaced'])
})
