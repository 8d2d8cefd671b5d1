import { expect, it } from 'vitest'
import { followUps, repeats } from './followUps'

it('lists what follows a post, with how it goes', () => {
  const sp = {
    status: 'published',
    firstComment: { text: 'First', mediaIds: [], status: 'published', permalink: 'https://x.example/1' },
    postPublishActions: { repostAfter: { offsetDays: 2, status: 'waiting' } },
    recurrence: null,
  }
  expect(followUps(sp as never)).toMatchObject([
    { name: 'Its first comment', status: 'published', permalink: 'https://x.example/1' },
    { name: 'Its repost', status: 'waiting' },
  ])
})

it('is empty for a post that nothing follows', () => {
  expect(followUps({ status: 'scheduled', firstComment: null, postPublishActions: {} } as never)).toEqual([])
  expect(followUps({ status: 'scheduled' })).toEqual([])
})

it.each([
  [{ recurrenceIntervalDays: 7, status: 'active' }, 'every week'],
  [{ recurrenceIntervalDays: 1, status: 'active' }, 'every day'],
  [{ recurrenceIntervalDays: 10, status: 'active' }, 'every 10 days'],
  [{ recurrenceIntervalDays: 7, status: 'ended' }, null],
  [null, null],
])('says of %o: %s', (recurrence, words) => {
  expect(repeats({ status: 'scheduled', recurrence } as never)).toBe(words)
})
