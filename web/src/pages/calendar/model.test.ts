import { describe, expect, it } from 'vitest'
import type { CalendarEntry, SlotInstant } from '../../api/extra'
import { instantOf } from '../../zone'
import {
  addMinutes,
  cardsOf,
  dayAt,
  daysOf,
  filterOf,
  fits,
  ghostsOf,
  layoutDay,
  moveByKey,
  movedTo,
  moveEntries,
  rangeOf,
  shownOf,
  stackDay,
  step,
  timeAt,
  titleOf,
} from './model'

const berlin = 'Europe/Berlin'

function entry(over: Partial<CalendarEntry>): CalendarEntry {
  return {
    kind: 'scheduled_post',
    scheduledPostId: 's1',
    postId: 'p1',
    socialAccountId: 'a1',
    provider: 'x',
    title: null,
    text: 'Hello',
    postType: 'text_post',
    status: 'scheduled',
    scheduledAt: '2026-11-17T08:00:00Z',
    localDate: '2026-11-17',
    localTime: '09:00',
    accountName: 'Ann',
    accountHandle: null,
    needsAttention: false,
    thumbnailUrl: null,
    userTags: [],
    ...over,
  }
}

function free(startsAt: string): SlotInstant {
  return {
    slotId: 's',
    startsAt,
    localDate: '',
    localTime: '',
    hour: 0,
    minute: 0,
    label: null,
    past: false,
    takenBy: [],
  }
}

function taken(slot: SlotInstant): SlotInstant {
  return { ...slot, takenBy: [{ socialAccountId: 'a1', scheduledPostId: 's1', postId: 'p1', status: 'scheduled' }] }
}

describe('ranges', () => {
  it('shows the weeks that a month touches', () => {
    expect(rangeOf('month', '2026-11-17', 1)).toEqual({ from: '2026-10-26', to: '2026-12-07' })
    expect(rangeOf('month', '2026-02-10', 0)).toEqual({ from: '2026-02-01', to: '2026-03-01' })
    expect(daysOf(rangeOf('month', '2026-08-01', 1))).toHaveLength(42)
  })

  it('shows a week, a day, and a month ahead', () => {
    expect(rangeOf('week', '2026-11-15', 1)).toEqual({ from: '2026-11-09', to: '2026-11-16' })
    expect(rangeOf('day', '2026-12-31', 1)).toEqual({ from: '2026-12-31', to: '2027-01-01' })
    expect(daysOf(rangeOf('agenda', '2026-11-15', 1))).toHaveLength(31)
  })

  it('steps to the next and the previous period', () => {
    expect(step('month', '2026-01-31', 1)).toBe('2026-02-01')
    expect(step('week', '2026-01-01', -1)).toBe('2025-12-25')
    expect(step('day', '2026-02-28', 1)).toBe('2026-03-01')
  })

  it('names what is shown', () => {
    expect(titleOf('month', '2026-11-17', rangeOf('month', '2026-11-17', 1))).toBe('November 2026')
    expect(titleOf('week', '2026-11-30', rangeOf('week', '2026-11-30', 1))).toBe('30 Nov – 6 Dec 2026')
  })
})

describe('cards', () => {
  it('are one for a post on several accounts at the same time', () => {
    const cards = cardsOf(
      [
        entry({}),
        entry({ scheduledPostId: 's2', socialAccountId: 'a2', provider: 'linkedin' }),
        entry({ scheduledPostId: 's3', socialAccountId: 'a3', scheduledAt: '2026-11-17T07:00:00Z' }),
      ],
      berlin,
    )
    expect(cards.map(c => [c.wall.minutes, c.providers])).toEqual([
      [480, ['x']],
      [540, ['x', 'linkedin']],
    ])
  })

  it('say what goes out with the text', () => {
    const types = ['text_post', 'text_image', 'text_video', 'carousel'] as const
    const media = types.map(postType => cardsOf([entry({ postType })], berlin)[0]?.media)
    expect(media).toEqual([null, 'image', 'video', 'several'])
  })

  it('say first what wants attention, and of how many accounts', () => {
    const [card] = cardsOf(
      [
        entry({ status: 'published', lateMillis: 120 }),
        entry({ scheduledPostId: 's2', status: 'failed', needsAttention: true }),
        entry({ scheduledPostId: 's3', status: 'published', lateMillis: 900 }),
      ],
      berlin,
    )
    expect(card).toMatchObject({ status: 'failed', inStatus: 1, movable: false, lateMillis: 900 })
  })

  it('does not raise an alarm for a failure that needs nobody any more', () => {
    const failed = entry({ status: 'failed', needsAttention: false })
    const published = entry({ scheduledPostId: 's2', status: 'published' })
    expect(cardsOf([failed, published], berlin)[0]).toMatchObject({ status: 'published', inStatus: 1, settled: false })
    expect(cardsOf([failed], berlin)[0]).toMatchObject({ status: 'failed', settled: true })
    expect(cardsOf([{ ...failed, needsAttention: true }], berlin)[0]).toMatchObject({ settled: false })
  })

  it('keep what a recurrence will make apart from what is planned, and unmovable', () => {
    const cards = cardsOf([entry({}), entry({ kind: 'recurrence', status: undefined })], berlin)
    expect(cards.map(c => [c.status, c.movable])).toEqual([
      ['scheduled', true],
      ['recurrence', false],
    ])
  })

  it('fit a filter when one of their accounts does, and stay whole', () => {
    const [card] = cardsOf(
      [entry({}), entry({ scheduledPostId: 's2', socialAccountId: 'a2', provider: 'threads' })],
      berlin,
    )
    if (!card) throw new Error('no card')
    expect(fits(card, filterOf({ account: 'a2' }))).toBe(true)
    expect(fits(card, filterOf({ network: 'facebook,threads' }))).toBe(true)
    expect(fits(card, filterOf({ status: 'failed' }))).toBe(false)
    expect(fits(card, filterOf({ tag: 't1' }))).toBe(false)
    expect(card.entries).toHaveLength(2)
  })
})

describe('a move in the month view', () => {
  const moved = (from: string, to: string, zone: string) => {
    const at = Date.parse(from)
    const [card] = cardsOf([entry({ scheduledAt: from })], zone)
    if (!card) throw new Error('no card')
    return new Date(movedTo({ at }, { ...card.wall, date: to }, zone)).toISOString()
  }

  it('keeps the time of day when the clocks go forward and back', () => {
    expect(moved('2026-03-28T08:00:00Z', '2026-03-30', berlin)).toBe('2026-03-30T07:00:00.000Z')
    expect(moved('2026-10-26T08:00:00Z', '2026-10-24', berlin)).toBe('2026-10-24T07:00:00.000Z')
    expect(moved('2026-10-31T13:00:00Z', '2026-11-02', 'America/New_York')).toBe('2026-11-02T14:00:00.000Z')
  })

  it('goes by the zone of the team, where the day may be another', () => {
    // 23:30 on the 16th in Los Angeles is the 17th in UTC.
    expect(moved('2026-11-17T07:30:00Z', '2026-11-20', 'America/Los_Angeles')).toBe('2026-11-21T07:30:00.000Z')
  })

  it('onto a day that skips its time moves it by the gap', () => {
    expect(moved('2026-03-28T01:30:00Z', '2026-03-29', berlin)).toBe('2026-03-29T01:30:00.000Z')
  })

  it('keeps the seconds', () => {
    expect(moved('2026-11-17T08:00:30.5Z', '2026-11-18', berlin)).toBe('2026-11-18T08:00:30.500Z')
  })
})

describe('keys', () => {
  const wall = { date: '2026-11-30', minutes: 540 }
  it.each([
    ['month', 'ArrowRight', { date: '2026-12-01', minutes: 540 }],
    ['month', 'ArrowUp', { date: '2026-11-23', minutes: 540 }],
    ['month', 'PageDown', { date: '2026-11-30', minutes: 600 }],
    ['week', 'ArrowDown', { date: '2026-11-30', minutes: 555 }],
    ['week', 'ArrowLeft', { date: '2026-11-29', minutes: 540 }],
    ['day', 'PageUp', { date: '2026-11-30', minutes: 480 }],
    ['agenda', 'ArrowUp', { date: '2026-11-30', minutes: 525 }],
    ['week', 'x', null],
  ] as const)('%s %s', (view, pressed, to) => {
    expect(moveByKey(view, wall, pressed)).toEqual(to)
  })

  it('pass midnight, and reach the grid before they follow it', () => {
    expect(addMinutes({ date: '2026-11-30', minutes: 1435 }, 15)).toEqual({ date: '2026-12-01', minutes: 0 })
    expect(addMinutes({ date: '2026-11-30', minutes: 0 }, -15)).toEqual({ date: '2026-11-29', minutes: 1425 })
    expect(addMinutes({ date: '2026-11-30', minutes: 547 }, 15)).toEqual({ date: '2026-11-30', minutes: 555 })
    expect(addMinutes({ date: '2026-11-30', minutes: 547 }, -15)).toEqual({ date: '2026-11-30', minutes: 540 })
  })
})

describe('drag', () => {
  const box = { left: 100, top: 50, width: 700, height: 600 }
  const month = daysOf(rangeOf('month', '2026-11-17', 1))

  it('finds the day under the pointer', () => {
    expect(dayAt(box, month, 101, 51)).toBe('2026-10-26')
    expect(dayAt(box, month, 799, 649)).toBe('2026-12-06')
    expect(dayAt(box, month, 99, 60)).toBeNull()
    expect(dayAt(box, month, 300, 700)).toBeNull()
  })

  const week = daysOf(rangeOf('week', '2026-11-17', 1))
  const grid = { left: 0, top: -200, width: 700, height: 1440 }

  it('finds the time under the pointer on a grid of quarter hours, as scrolled', () => {
    expect(timeAt(grid, week, [], 150, 340)).toEqual({ date: '2026-11-17', minutes: 540 })
    expect(timeAt(grid, week, [], 150, 346)).toEqual({ date: '2026-11-17', minutes: 540 })
    expect(timeAt(grid, week, [], 150, 5000)).toEqual({ date: '2026-11-17', minutes: 1425 })
    expect(timeAt(grid, week, [], 701, 340)).toBeNull()
  })

  it('is drawn to a free slot nearby', () => {
    const at = instantOf({ date: '2026-11-17', minutes: 547 }, berlin)
    const slot = free(new Date(at).toISOString())
    const ghosts = ghostsOf([slot, taken(slot), { ...slot, past: true }], berlin, at - 3_600_000, [])
    expect(ghosts).toHaveLength(1)
    expect(timeAt(grid, week, ghosts, 150, 340)).toEqual({ date: '2026-11-17', minutes: 547 })
    expect(ghostsOf([slot], berlin, at, [])).toEqual([])
  })

  it('offers no slot beside a post of the same minute', () => {
    const at = instantOf({ date: '2026-11-17', minutes: 540 }, berlin)
    const slot = free(new Date(at).toISOString())
    const beside = (scheduledAt: string) =>
      ghostsOf([slot], berlin, at - 3_600_000, cardsOf([entry({ scheduledAt })], berlin))
    expect(beside(new Date(at + 30_000).toISOString())).toEqual([])
    expect(beside(new Date(at + 60_000).toISOString())).toHaveLength(1)
  })
})

describe('shownOf', () => {
  const cards = cardsOf(
    [8, 9, 10, 11, 12].map(hour =>
      entry({ postId: `p${hour}`, scheduledAt: `2026-11-17T${String(hour).padStart(2, '0')}:00:00Z` }),
    ),
    berlin,
  )
  const ids = (room: number, held: string | null) => shownOf(cards, room, held).map(c => c.postId)
  const last = cards[4]?.id ?? null

  it('leaves a line for how many more there are', () => {
    expect(ids(5, null)).toHaveLength(5)
    expect(ids(4, null)).toEqual(['p8', 'p9', 'p10'])
    expect(ids(1, null)).toEqual([])
  })

  it('shows the card that the keyboard holds, however late it is', () => {
    expect(ids(4, last)).toEqual(['p8', 'p9', 'p12'])
    expect(ids(1, last)).toEqual(['p12'])
    expect(ids(4, cards[0]?.id ?? null)).toEqual(['p8', 'p9', 'p10'])
  })
})

describe('layoutDay', () => {
  const at = (minutes: number, n: number) => {
    const scheduledAt = new Date(instantOf({ date: '2026-11-17', minutes }, berlin)).toISOString()
    return entry({ scheduledAt, postId: `p${n}` })
  }

  it('puts what would cover each other side by side', () => {
    const cards = cardsOf([at(540, 1), at(560, 2), at(700, 3)], berlin)
    const { placed } = layoutDay(cards, 45, 3)
    expect(placed.map(p => [p.lane, p.lanes])).toEqual([
      [0, 2],
      [1, 2],
      [0, 1],
    ])
  })

  it('counts what has no room by the hour', () => {
    const cards = cardsOf(
      Array.from({ length: 5 }, (_, n) => at(540 + n, n)),
      berlin,
    )
    const { placed, hidden } = layoutDay(cards, 45, 2)
    expect(placed).toHaveLength(2)
    expect(hidden).toMatchObject([{ hour: 9 }])
    expect(hidden[0]?.cards).toHaveLength(3)
  })
})

describe('stackDay', () => {
  const at = (...minutes: number[]) =>
    cardsOf(
      minutes.map((m, n) =>
        entry({
          postId: `p${n}`,
          scheduledAt: new Date(instantOf({ date: '2026-11-17', minutes: m }, berlin)).toISOString(),
        }),
      ),
      berlin,
    )

  it('moves what would cover the one before down a little', () => {
    const { placed } = stackDay(at(540, 545, 700), 25, 50)
    expect(placed.map(p => [p.top, p.tall])).toEqual([
      [540, false],
      [565, true],
      [700, true],
    ])
  })

  it('counts what would have to move too far, where it would have stood', () => {
    const { placed, hidden } = stackDay(at(540, 540, 540, 540, 540, 900), 25, 50)
    expect(placed.map(p => p.top)).toEqual([540, 565, 590, 900])
    expect(hidden.map(h => [h.top, h.cards.length])).toEqual([[615, 2]])
  })

  it('stays within the day', () => {
    const { placed, hidden } = stackDay(at(1435, 1436, 1437), 25, 50)
    expect(placed.map(p => p.top)).toEqual([1415])
    expect(hidden[0]?.cards).toHaveLength(2)
  })
})

describe('moveEntries', () => {
  it('shows a post that is half moved as one card, where it goes', () => {
    const read = [
      entry({ scheduledPostId: 's1', scheduledAt: '2026-11-18T08:00:00Z' }),
      entry({ scheduledPostId: 's2' }),
    ]
    const to = new Map(['s1', 's2'].map(id => [id, '2026-11-18T08:00:00.000Z']))
    expect(cardsOf(read, berlin)).toHaveLength(2)
    expect(cardsOf(moveEntries(read, to), berlin)).toHaveLength(1)
  })

  it('leaves recurrences where they are', () => {
    const read = [entry({ kind: 'recurrence', scheduledPostId: 's1' })]
    expect(moveEntries(read, new Map([['s1', '2026-11-18T08:00:00Z']]))).toEqual(read)
  })
})
