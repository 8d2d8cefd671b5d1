import { expect, it } from 'vitest'
import { inOrder, replacement, sentAgain } from './order'

type Delivery = Parameters<typeof replacement>[0]

const delivery = (id: string, status: string, more: Partial<Delivery> = {}): Delivery => ({
  id,
  socialAccountId: 'x1',
  status: status as Delivery['status'],
  needsAttention: ['failed', 'missed', 'unknown'].includes(status),
  scheduledAt: '2026-11-17T08:00:00.000Z',
  ...more,
})
const ids = (list: Delivery[]) => list.map(d => d.id)

it('finds the failures on accounts that a post was sent to again, and leaves unknown ones', () => {
  const list = [
    delivery('failed', 'failed'),
    delivery('missed', 'missed'),
    delivery('unknown', 'unknown'),
    delivery('seen', 'failed', { needsAttention: false }),
    delivery('elsewhere', 'failed', { socialAccountId: 'f1' }),
    delivery('new', 'published'),
  ]
  expect(ids(sentAgain(list, ['x1']))).toEqual(['failed', 'missed'])
})

it.each([
  ['published', 'Published on this account since'],
  ['scheduled', 'Planned on this account again'],
  ['unknown', 'Planned on this account again'],
  ['failed', 'Sent to this account again since'],
  ['missed', 'Sent to this account again since'],
])('says what became of a failure that one that is %s has replaced', (status, want) => {
  const one = delivery('a', 'failed', { replacedBy: 'b' })
  expect(replacement(one, [delivery('b', status), one])).toBe(want)
  expect(replacement(delivery('a', 'failed'), [delivery('b', status)])).toBeNull()
})

it('puts what needs a person first, and what is over last', () => {
  const list = [
    delivery('canceled', 'canceled', { socialAccountId: 'l1' }),
    delivery('replaced', 'failed', { needsAttention: false, replacedBy: 'published' }),
    delivery('published', 'published'),
    delivery('not dismissed', 'failed', { replacedBy: 'published' }),
    delivery('failed', 'failed', { socialAccountId: 'f1' }),
    delivery('unknown', 'unknown', { socialAccountId: 't1' }),
  ]
  expect(ids(inOrder(list, [{ id: 'x1' }, { id: 'f1' }, { id: 't1' }, { id: 'l1' }]))).toEqual([
    'not dismissed',
    'failed',
    'unknown',
    'published',
    'replaced',
    'canceled',
  ])
})

it('keeps the order of the accounts, the newest first', () => {
  const list = [
    delivery('f', 'published', { socialAccountId: 'f1' }),
    delivery('x', 'published'),
    delivery('gone', 'published', { socialAccountId: 'gone' }),
    delivery('next', 'scheduled', { scheduledAt: '2026-11-24T08:00:00.000Z', socialAccountId: 'f1' }),
  ]
  expect(ids(inOrder(list, [{ id: 'x1' }, { id: 'f1' }]))).toEqual(['next', 'gone', 'x', 'f'])
})
