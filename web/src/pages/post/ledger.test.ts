import { describe, expect, it } from 'vitest'
import { type Attempt, deletionWaits, departure, lateness, ledger, proof } from './ledger'
import { points, series } from './numbers'

const due = '2026-11-16T09:00:00.000Z'

function attempt(patch: Partial<Attempt>): Attempt {
  return {
    id: Math.random().toString(),
    operation: 'publish',
    part: 0,
    startedAt: due,
    endedAt: due,
    durationMillis: 5,
    exchanges: [],
    ...patch,
  } as Attempt
}

const published = { status: 'published' as const, publishResults: { platformPostIds: ['1'] } }

describe('departure', () => {
  it('is the moment that the publishing request left, against the time that it was due', () => {
    const exchange = { operation: 'publish', startedAt: '2026-11-16T09:00:00.012Z' } as Attempt['exchanges'][number]
    const list = [attempt({ operation: 'prepare' }), attempt({ exchanges: [exchange] })]
    expect(departure({ scheduledAt: due }, list)).toEqual({ left: Date.parse(exchange.startedAt), late: 12 })
  })

  it('is null before a call was made, and does not count what follows the post', () => {
    expect(departure({ scheduledAt: due }, [attempt({ operation: 'prepare' }), attempt({ actionId: 'a' })])).toBeNull()
  })
})

it.each([
  [12, '12 ms after it was due'],
  [0, 'exactly when it was due'],
  [65_300, '1 min after it was due'],
  [-40, '40 ms before it was due'],
])('says %s ms as “%s”', (late, words) => {
  expect(lateness(late)).toBe(words)
})

describe('proof', () => {
  it('is one call for a post that went out at once', () => {
    expect(proof(published, [attempt({ outcome: 'published' })])).toBe('It is there once: one call was sent.')
  })

  it('tells that a missing answer was looked for before anything was sent again', () => {
    const list = [
      attempt({ outcome: 'published', errorCode: 'outcome_unknown' }),
      attempt({ operation: 'reconcile', outcome: 'published' }),
    ]
    expect(proof(published, list)).toContain(
      'an answer was missing, so the network was asked before anything was sent again',
    )
  })

  it('accounts for calls that had no effect', () => {
    const list = [
      attempt({ outcome: 'absent', errorCode: 'outcome_unknown' }),
      attempt({ operation: 'reconcile', outcome: 'absent' }),
      attempt({ operation: 'reconcile', outcome: 'absent' }),
      attempt({ outcome: 'accepted' }),
    ]
    expect(proof(published, list)).toBe(
      'It is there once: of 2 calls one took effect; the other had no effect; the network was asked 2 times before the next call.',
    )
  })

  it('does not count a repetition that was not sent', () => {
    const list = [
      attempt({ outcome: 'repeated', errorCode: 'outcome_unknown' }),
      attempt({ operation: 'resend', outcome: 'not_sent' }),
      attempt({ operation: 'resend', outcome: 'published' }),
    ]
    expect(proof(published, list)).toBe('It is there once: of 2 calls one took effect; the other had no effect.')
  })

  it('claims nothing that is not published', () => {
    expect(proof({ ...published, status: 'unknown' }, [attempt({ outcome: 'unknown' })])).toBeNull()
  })
})

describe('ledger', () => {
  it.each([
    [{ outcome: 'published' }, 'Published'],
    [{ outcome: 'published', errorCode: 'outcome_unknown' }, 'Answer lost; found published'],
    [{ outcome: 'absent', errorCode: 'outcome_unknown' }, 'Answer lost; had no effect'],
    [{ operation: 'reconcile', outcome: 'published' }, 'It is there'],
    [{ operation: 'reconcile', outcome: 'absent' }, 'Not there'],
    [{ outcome: 'rejected' }, 'Refused'],
    [{ operation: 'resend', outcome: 'not_sent' }, 'Not sent'],
    [{ operation: 'delete', outcome: 'waiting', endedAt: null }, 'Waits for a decision'],
    [{ operation: 'delete', outcome: 'not_needed' }, 'Not needed'],
    [{ outcome: undefined, endedAt: null }, 'Under way'],
    [{ outcome: 'something_new' }, 'something_new'],
  ] as [Partial<Attempt>, string][])('calls %o “%s”', (patch, word) => {
    expect(ledger([attempt(patch)])[0]?.verdict.word).toBe(word)
  })

  it('does not say that something was done where nothing was sent', () => {
    const said = (patch: Partial<Attempt>) => ledger([attempt(patch)])[0]?.what
    expect(said({ operation: 'resend', outcome: 'not_sent' })).toBe('Was about to send the identical request again')
    expect(said({ operation: 'delete', outcome: 'waiting' })).toBe('Was asked to delete it there too')
    expect(said({ operation: 'delete', outcome: 'deleted' })).toBe('Called the network to delete it')
  })
})

it('tells whether a deletion waits for a decision, about the post or about what follows it', () => {
  const waits = attempt({ operation: 'delete', outcome: 'waiting', endedAt: null })
  const ofComment = { ...waits, actionId: 'a' }
  expect(deletionWaits([attempt({ outcome: 'unknown' }), waits], false)).toBe(true)
  expect(deletionWaits([waits], true)).toBe(false)
  expect(deletionWaits([ofComment], true)).toBe(true)
  expect(deletionWaits([attempt({ operation: 'delete', outcome: 'not_needed' })], false)).toBe(false)
})

describe('numbers', () => {
  it('keeps what is not told apart from zero', () => {
    const all = series([
      { takenAt: due, metrics: { views: 0, saves: null } },
      { takenAt: due, metrics: { views: 12, saves: null } },
    ])
    expect(all).toEqual([
      { name: 'views', values: [0, 12], latest: 12 },
      { name: 'saves', values: [null, null], latest: null },
    ])
  })

  it('draws a line through what is known', () => {
    expect(points([0, null, 10], 80, 20)).toBe('0,19 80,1')
    expect(points([5, 5], 80, 20)).toBe('0,10 80,10')
  })
})
