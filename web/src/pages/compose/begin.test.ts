import { describe, expect, it } from 'vitest'
import type { ScheduledPost } from '../../api/extra'
import { type Asked, settingsOf, startOf } from './begin'
import { type Account, type Draft, emptyDraft, newPart, setOwn, setShared, type When } from './draft'
import type { LocalCopy } from './localCopy'
import { isWritten, scheduleBody } from './plan'

const accounts = [
  { id: 'x1', provider: 'x' },
  { id: 'x2', provider: 'x' },
  { id: 'y1', provider: 'youtube' },
  { id: 't1', provider: 'tiktok' },
] as Account[]
const zone = 'Europe/Berlin'
const nine: When = { kind: 'time', date: '2026-11-18', time: '09:00' }
const ten: When = { kind: 'time', date: '2026-11-18', time: '10:00' }
const atTen = '2026-11-18T09:00:00Z'

const waits = (socialAccountId: string, platformSettings = {}, scheduledAt = '2026-11-18T08:00:00Z') =>
  ({ status: 'scheduled', socialAccountId, platformSettings, scheduledAt }) as unknown as ScheduledPost
const start = (waiting: ScheduledPost[], asked: Asked = {}, published: string[] = []) =>
  startOf({ asked, post: { scheduledDestinationAccountIds: published }, waiting, accounts, zone })
const draftWith = (patch: Partial<Draft>): Draft => ({ ...emptyDraft(), parts: [newPart('Hi')], ...patch })
const copyOf = (draft: Draft, from?: string): LocalCopy => ({ draft, base: 'v1', unsaved: false, at: 1, from })

describe('the plan that the composer begins with', () => {
  it('is that of what waits, with its settings', () => {
    const waiting = [waits('y1', { youtubePrivacy: 'private' }), waits('t1', { tiktokPrivacyLevel: 'SELF_ONLY' })]
    expect(start(waiting).plan(draftWith({}), null)).toMatchObject({
      accountIds: ['y1', 't1'],
      when: nine,
      settings: { youtubePrivacy: 'private' },
      accountSettings: { t1: { tiktokPrivacyLevel: 'SELF_ONLY' } },
    })
  })

  it('keeps times that differ, and those that a choice cannot say', () => {
    const apart = [waits('x1'), waits('y1', {}, '2026-11-18T11:00:00Z')]
    const times = { x1: '2026-11-18T08:00:00Z', y1: '2026-11-18T11:00:00Z' }
    expect(start(apart).plan(draftWith({}), null).when).toEqual({ kind: 'planned', times })
    for (const at of ['2026-11-18T08:00:30Z', '2026-10-25T01:30:00Z']) {
      const opened = start([waits('x1', {}, at)]).plan(draftWith({}), null)
      expect(opened.when).toEqual({ kind: 'planned', times: { x1: at } })
    }
    // The first 02:30 of that night is one that can be chosen.
    expect(start([waits('x1', {}, '2026-10-25T00:30:00Z')]).plan(draftWith({}), null).when).toEqual({
      kind: 'time',
      date: '2026-10-25',
      time: '02:30',
    })
    expect(start(apart, { at: atTen }).plan(draftWith({}), null).when).toEqual(ten)
  })

  it('is the one that was changed here, while what waits is the same', () => {
    const waiting = [waits('x1', { xReplySettings: 'verified' })]
    const mine = draftWith({ accountIds: ['y1', 'gone'], when: ten, settings: { xReplySettings: null } })
    const copy = copyOf(mine, start(waiting).from)
    expect(start(waiting).plan(mine, copy)).toEqual({ ...mine, accountIds: ['y1'] })
  })

  it('is that of what waits when this was moved or set anew since', () => {
    const mine = draftWith({ accountIds: ['y1'], when: ten, settings: { xReplySettings: null } })
    const copy = copyOf(mine, start([waits('x1')]).from)
    const moved = start([waits('x1', {}, '2026-11-18T08:30:00Z')])
    expect(moved.plan(mine, copy)).toMatchObject({ accountIds: ['x1'], when: { time: '09:30' }, settings: {} })
    const anew = start([waits('x1', { xReplySettings: 'verified' })])
    expect(anew.plan(mine, copy)).toMatchObject({ when: nine, settings: { xReplySettings: 'verified' } })
  })

  it('of a draft is what the browser remembers, less the accounts that have it', () => {
    const mine = draftWith({ accountIds: ['x1', 'x2'], when: ten, settings: { xReplySettings: 'verified' } })
    // Also when it was scheduled from the same plan that it has again.
    for (const from of [undefined, start([]).from]) {
      const opened = start([], {}, ['x1']).plan(mine, copyOf(mine, from))
      expect(opened).toEqual({ ...mine, accountIds: ['x2'] })
    }
  })

  it('begins with the time of the address once: a reload keeps what was changed by hand', () => {
    const asked = { at: atTen, accounts: 'x1,gone' }
    const begun = start([], asked).plan(draftWith({}), null)
    expect(begun).toMatchObject({ accountIds: ['x1'], when: ten })
    const mine = { ...begun, when: nine }
    const copy = copyOf(mine, start([], asked).from)
    expect(start([], asked).plan(mine, copy).when).toEqual(nine)
    expect(start([], { at: '2026-11-18T10:00:00Z' }).plan(mine, copy).when).toMatchObject({ time: '11:00' })
  })

  it('takes the time of the address again while nothing is written', () => {
    const mine = draftWith({ parts: [newPart('')], accountIds: ['x1'], when: nine })
    expect(start([], { at: atTen }).plan(mine, copyOf(mine, start([], { at: atTen }).from)).when).toEqual(ten)
  })
})

it('keeps settings that differ between the accounts of a network with each of them', () => {
  const same = { xReplySettings: 'verified' }
  expect(settingsOf([waits('x1', { ...same, xPlaceId: 'a' }), waits('x2', same)], accounts)).toEqual({
    settings: same,
    accountSettings: { x1: { xPlaceId: 'a' } },
  })
})

describe('a setting that is cleared', () => {
  const waiting = [
    waits('x1', { xReplySettings: 'verified', xPlaceId: 'a' }),
    waits('x2', { xReplySettings: 'verified' }),
  ]
  const opened = start(waiting).plan(draftWith({}), null)

  it('is sent as null: what is left out stays as it is', () => {
    const body = scheduleBody(setShared(opened, 'xReplySettings', undefined), accounts, zone)
    expect(body?.platformSettings).toEqual({ xReplySettings: null })
    const own = setOwn(draftWith({ accountIds: ['t1'] }), 't1', 'tiktokPrivacyLevel', undefined)
    expect(scheduleBody(own, accounts, zone)?.platformSettingsBySocialAccountId).toEqual({
      t1: { tiktokPrivacyLevel: null },
    })
  })

  it('is chosen for all accounts of the network, also where they differed', () => {
    const set = setShared(opened, 'xPlaceId', 'b')
    const body = scheduleBody(set, accounts, zone)
    expect(body?.platformSettings).toMatchObject({ xPlaceId: 'b' })
    expect(body).not.toHaveProperty('platformSettingsBySocialAccountId')
  })

  it('does not make a post written', () => {
    const empty = draftWith({ parts: [newPart('')] })
    expect(isWritten(setShared(empty, 'linkedinPoll', undefined))).toBe(false)
    expect(isWritten(setShared(empty, 'linkedinPoll', {}))).toBe(true)
  })
})
