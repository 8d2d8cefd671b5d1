import { describe, expect, it } from 'vitest'
import { accountCause, causeOf, mayTryAgain } from './cause'

const account = (patch = {}) => ({ provider: 'x', status: 'connected', ...patch }) as never

describe('causeOf', () => {
  it.each([
    ['failed', 'content_rejected', 'edit'],
    ['failed', 'provider_unavailable', 'retry'],
    ['missed', undefined, 'retry'],
    ['unknown', 'outcome_unknown', 'resolve'],
    ['failed', 'credits_exhausted', 'credits'],
    ['failed', 'never_heard_of', 'retry'],
    ['failed', 'outcome_unknown', 'retry'],
  ] as const)('%s with %s is helped by %s', (status, errorCode, remedy) => {
    const cause = causeOf({ status, errorCode }, account())
    expect(cause.remedy).toBe(remedy)
    expect(cause.sentence).toMatch(/\.$/)
  })

  it('asks for reconnecting only while the account is broken', () => {
    const sp = { status: 'missed' as const, errorCode: 'auth_expired' }
    expect(causeOf(sp, account({ status: 'refresh_needed' })).remedy).toBe('reconnect')
    expect(causeOf(sp, account()).remedy).toBe('retry')
  })

  it('says what failed after publishing', () => {
    const firstComment = { status: 'failed', errorMessage: 'Too fast' }
    expect(causeOf({ status: 'published', firstComment } as never, account())).toMatchObject({
      sentence: 'It is published. Its first comment failed.',
      said: 'Too fast',
    })
  })

  it('asks a person to look for what follows, when nothing else tells', () => {
    const firstComment = { status: 'unknown' }
    expect(causeOf({ status: 'published', firstComment } as never, account())).toMatchObject({
      sentence: 'It is published. X did not answer, and nothing tells whether its first comment is there.',
      remedy: 'resolve',
    })
  })
})

it.each([
  ['failed', undefined, true],
  ['missed', undefined, true],
  ['failed', 'newer', false],
  ['unknown', undefined, false],
  ['published', undefined, false],
] as const)('%s, replaced by %s: may be tried again is %s', (status, replacedBy, want) => {
  expect(mayTryAgain({ status, replacedBy })).toBe(want)
})

describe('accountCause', () => {
  it('is null for accounts that are well, and for those that were switched off', () => {
    expect(accountCause(account({ accountHealthIssue: null }))).toBeNull()
    expect(accountCause(account({ status: 'disabled', accountHealthIssue: 'auth_failed' }))).toBeNull()
  })

  it('tells what the network said', () => {
    expect(accountCause(account({ accountHealthIssue: 'rate_limited', accountHealthMessage: null }))).toContain(
      'slowing',
    )
    expect(accountCause(account({ status: 'refresh_needed', accountHealthMessage: 'Revoked' }))).toBe('Revoked')
  })
})
