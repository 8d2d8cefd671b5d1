import { describe, expect, it } from 'vitest'
import type { ScheduledPost } from '../../api/extra'
import { type Account, type Draft, emptyDraft, newPart } from './draft'
import {
  awaitedUploads,
  describeAction,
  dryRunBody,
  failureWords,
  isWritten,
  partly,
  scheduleBodies,
  scheduleBody,
  sortOut,
  type Verdict,
  verdictOf,
  waitingAfter,
  withoutSent,
} from './plan'

const accounts = [
  { id: 'x1', provider: 'x' },
  { id: 't1', provider: 'tiktok' },
] as Account[]
const zone = 'Europe/Berlin'
const draftWith = (patch: Partial<Draft>): Draft => ({
  ...emptyDraft(),
  parts: [newPart('Hi')],
  accountIds: ['x1', 't1'],
  ...patch,
})
const ready: Verdict = {
  ready: 3,
  refused: 0,
  credits: 15,
  slotAt: Date.parse('2026-11-17T08:00:00Z'),
  affordable: true,
}

describe('scheduleBody', () => {
  it('turns a wall-clock time of the team’s zone into an instant', () => {
    const body = scheduleBody(draftWith({ when: { kind: 'time', date: '2026-07-01', time: '09:00' } }), accounts, zone)
    expect(body).toMatchObject({ scheduledAt: '2026-07-01T07:00:00.000Z', timezone: zone })
    expect(body).not.toHaveProperty('useNextSlot')
  })

  it('is null while the time is incomplete', () => {
    expect(scheduleBody(draftWith({ when: { kind: 'time', date: '', time: '09:00' } }), accounts, zone)).toBeNull()
  })

  it('leaves the slot to the server', () => {
    expect(scheduleBody(draftWith({}), accounts, zone)).toMatchObject({
      useNextSlot: true,
      socialAccountIds: ['x1', 't1'],
    })
  })

  it('sends the settings of chosen networks alone, without those that are not set', () => {
    const body = scheduleBody(
      draftWith({
        accountIds: ['x1'],
        settings: { xReplySettings: 'verified', xPlaceId: undefined, youtubeTitle: 'Old' },
        accountSettings: { t1: { tiktokPrivacyLevel: 'SELF_ONLY' }, x1: {} },
      }),
      accounts,
      zone,
    )
    expect(body?.platformSettings).toEqual({ xReplySettings: 'verified' })
    expect(body).not.toHaveProperty('platformSettingsBySocialAccountId')
  })
})

describe('scheduleBodies', () => {
  it('asks once for one time, and not at all while it is incomplete', () => {
    const at = (date: string) => draftWith({ when: { kind: 'time', date, time: '09:00' } })
    expect(scheduleBodies(at('2026-07-01'), accounts, zone)).toEqual([scheduleBody(at('2026-07-01'), accounts, zone)])
    expect(scheduleBodies(at(''), accounts, zone)).toBeNull()
  })

  it('asks once for each planned time, with the accounts and settings that go with it', () => {
    const all = [...accounts, { id: 'y1', provider: 'youtube' }] as Account[]
    const draft = draftWith({
      accountIds: ['x1', 't1', 'y1'],
      accountSettings: { t1: { tiktokPrivacyLevel: 'SELF_ONLY' } },
      when: {
        kind: 'planned',
        times: { t1: '2026-11-18T11:00:30Z', x1: '2026-11-18T08:00:00Z', z1: '2026-11-19T08:00:00Z' },
      },
    })
    const bodies = scheduleBodies(draft, all, zone)
    expect(bodies).toMatchObject([
      { socialAccountIds: ['x1', 'y1'], scheduledAt: '2026-11-18T08:00:00.000Z' },
      { socialAccountIds: ['t1'], scheduledAt: '2026-11-18T11:00:30.000Z' },
    ])
    expect(bodies?.map(b => b.platformSettingsBySocialAccountId)).toEqual([
      undefined,
      { t1: { tiktokPrivacyLevel: 'SELF_ONLY' } },
    ])
  })
})

it('tries out publishing now while there is no time', () => {
  const now = Date.parse('2026-11-17T08:00:00Z')
  const body = dryRunBody(draftWith({ when: { kind: 'draft' } }), accounts, zone, now)
  expect(body).toMatchObject({ postInput: { text: 'Hi' }, socialAccountIds: ['x1', 't1'] })
  expect(body).not.toHaveProperty('scheduledAt')
  expect(body).not.toHaveProperty('useNextSlot')
  const at = (date: string) =>
    dryRunBody(draftWith({ when: { kind: 'time', date, time: '10:00' } }), accounts, zone, now)
  expect(at('2026-11-18')).toHaveProperty('scheduledAt')
  expect(at('2026-11-16')).not.toHaveProperty('scheduledAt') // it is over, and told beside its field
})

const waiting = (id: string) => ({ status: 'scheduled', socialAccountId: id }) as ScheduledPost
const running = (id: string) => ({ status: 'publishing', socialAccountId: id }) as ScheduledPost

describe('describeAction', () => {
  const cases: [string, Partial<Draft>, Verdict | null, ScheduledPost[], string][] = [
    ['a slot', {}, ready, [], 'Schedule 3 posts for Tue 17 Nov, 09:00 · 15 credits'],
    ['nothing that is written', { parts: [newPart(' ')] }, null, [], 'Write something first'],
    ['a slot that is being asked for', {}, null, [], 'Schedule 2 posts for the next free slot'],
    [
      'a time',
      { when: { kind: 'time', date: '2026-11-18', time: '10:30' } },
      { ...ready, ready: 1, credits: 0 },
      [],
      'Schedule 1 post for Wed 18 Nov, 10:30',
    ],
    [
      'a change of what is scheduled',
      { when: { kind: 'time', date: '2026-11-18', time: '10:30' } },
      ready,
      [waiting('x1')],
      'Update 3 posts for Wed 18 Nov, 10:30 · 15 credits',
    ],
    [
      'a change of what has several times',
      { when: { kind: 'planned', times: { x1: '2026-11-18T08:00:00Z' } } },
      ready,
      [waiting('x1'), waiting('f1')],
      'Update 3 posts as planned, cancel 1 · 15 credits',
    ],
    ['now', { when: { kind: 'now' } }, { ...ready, credits: 1500 }, [], 'Publish 3 posts now · 1,500 credits'],
    [
      'an account less',
      {},
      ready,
      [waiting('x1'), waiting('f1')],
      'Update 3 posts for Tue 17 Nov, 09:00, cancel 1 · 15 credits',
    ],
    ['a draft', { when: { kind: 'draft' } }, ready, [], 'Save draft'],
    [
      'a draft of what is scheduled',
      { when: { kind: 'draft' } },
      ready,
      [waiting('x1'), waiting('t1')],
      'Cancel 2 posts and keep as a draft',
    ],
    ['a draft of what is on its way', { when: { kind: 'draft' } }, ready, [running('x1')], 'Save draft'],
    ['nowhere', { accountIds: [] }, null, [], 'Choose accounts'],
  ]
  it.each(cases)('says what %s does', (_, patch, verdict, scheduled, words) => {
    expect(describeAction(draftWith(patch), verdict, zone, scheduled)).toBe(words)
  })
})

it('waits for uploads, and says when one of them waits for a person', () => {
  const states = (...list: string[]) => awaitedUploads(list.map(state => ({ state })))
  expect(states()).toBeNull()
  expect(states('sending')).toBe('Waiting for the upload')
  expect(states('waiting', 'finishing')).toBe('Waiting for 2 uploads')
  expect(states('sending', 'failed')).toBe('An upload needs you')
  expect(states('needs-file')).toBe('An upload needs you')
})

it('counts what is ready and what is refused', () => {
  const entry = (ok: boolean) => ({ socialAccountId: 'a', ok, creditCost: 0, warnings: [], texts: [] })
  const result = {
    data: [entry(true), entry(false)],
    creditCost: 15,
    availableCredits: 1,
    affordableNow: false,
    scheduledAt: null,
    slotAt: null,
  }
  expect(verdictOf(result)).toEqual({ ready: 1, refused: 1, credits: 15, slotAt: null, affordable: false })
  expect(verdictOf(null)).toBeNull()
})

it('says of a post that every account refuses that it goes nowhere', () => {
  const refused = { ready: 0, refused: 2, credits: 0, slotAt: null, affordable: true }
  const written = { parts: [newPart('Hello')], accountIds: ['x1', 't1'] }
  for (const when of [{ kind: 'now' }, { kind: 'slot' }] as const) {
    expect(describeAction(draftWith({ ...written, when }), refused, zone, [])).toBe('No account takes it yet')
  }
  expect(describeAction(draftWith({ ...written, when: { kind: 'draft' } }), refused, zone, [])).toBe('Save draft')
})

describe('waitingAfter', () => {
  const of = (id: string, socialAccountId: string, status = 'scheduled') =>
    ({ id, socialAccountId, status }) as ScheduledPost
  const answer = (...posts: ScheduledPost[]) =>
    ({ data: posts.map(s => ({ socialAccountId: s.socialAccountId, scheduledPost: s })) }) as never
  const shown = (list: ScheduledPost[]) => list.map(s => `${s.id} ${s.socialAccountId} ${s.status}`)

  it('has what an account took while another refused', () => {
    const waits = waitingAfter(draftWith({}), [], answer(of('1', 'x1')), [])
    expect(shown(waits)).toEqual(['1 x1 scheduled'])
  })

  it('has what waited before once, and not what was dropped', () => {
    const before = [of('1', 'x1'), of('2', 't1'), of('3', 'gone')]
    const waits = (...kept: ScheduledPost[]) => shown(waitingAfter(draftWith({}), before, answer(of('1', 'x1')), kept))
    expect(waits()).toEqual(['2 t1 scheduled', '1 x1 scheduled'])
    expect(waits(of('3', 'gone', 'publishing'))).toEqual(['2 t1 scheduled', '3 gone publishing', '1 x1 scheduled'])
    expect(waits(of('3', 'gone', 'published'))).toEqual(['2 t1 scheduled', '1 x1 scheduled'])
  })

  it('has what is published now as under way, unless its network has failed it', () => {
    const now = draftWith({ when: { kind: 'now' } })
    const waits = waitingAfter(now, [], answer(of('1', 'x1'), of('2', 't1', 'failed')), [])
    expect(shown(waits)).toEqual(['1 x1 publishing'])
    expect(describeAction({ ...now, accountIds: ['t1'] }, null, zone, waits)).toBe('Publish 1 post now')
    expect(describeAction({ ...now, when: { kind: 'slot' } }, null, zone, waits)).not.toContain('cancel')
  })
})

it('asks accounts that publish it now no more, and keeps what is planned', () => {
  const scheduledPost = { id: 's' } as ScheduledPost
  const error = { message: 'No.' }
  const data = [
    { socialAccountId: 'x1', scheduledPost },
    { socialAccountId: 't1', error },
    { socialAccountId: 'f1', scheduledPost, error },
  ]
  const result = { data } as never
  const draft = draftWith({ accountIds: ['x1', 't1', 'f1'] })
  expect(withoutSent({ ...draft, when: { kind: 'now' } }, result).accountIds).toEqual(['t1', 'f1'])
  expect(withoutSent(draft, result).accountIds).toEqual(['x1', 't1', 'f1'])
})

describe('failureWords', () => {
  const waits = [waiting('x1')]
  const out = [{ status: 'published', socialAccountId: 'x1' } as ScheduledPost]
  const cases: [Draft['when']['kind'], ScheduledPost[], ScheduledPost[] | null, string][] = [
    ['time', [], [], 'It was not scheduled'],
    ['now', [], [], 'It was not published'],
    ['slot', [], waits, 'It is scheduled, but not all of this was done'],
    ['time', waits, waits, 'It is still scheduled; at most its text has changed'],
    ['time', waits, [running('x1')], 'It is still scheduled; at most its text has changed'],
    ['time', waits, out, 'It is not scheduled any more'],
    ['time', waits, null, 'What of it is scheduled now is not known'],
    ['time', [], null, 'What of it is scheduled now is not known'],
    ['draft', [], [], 'It was not saved'],
    ['draft', [], null, 'It was not saved'],
    ['draft', waits, waits, 'It was not taken back, and is still scheduled'],
    ['draft', waits, [], 'It was taken back, but its changes are not saved'],
    ['draft', waits, null, 'Whether it was taken back is not known'],
  ]
  it.each(cases)('says what %s has left of %j and %j', (kind, before, now, words) => {
    expect(failureWords(kind, before, now)).toBe(words)
  })
})

it('tells a refusal by its issues, without the names of fields', () => {
  const issues = [
    { path: ['postInput', 'text'], message: 'a post needs text or media' },
    { path: ['postInput'], message: 'a post needs text or media' },
  ]
  const error = { message: 'X does not accept this post: postInput.text a post needs text or media.', issues }
  const data = [{ socialAccountId: 'x1', error }] as never
  expect(sortOut({ data }).report).toEqual({
    has: [],
    lacks: [{ accountId: 'x1', message: 'a post needs text or media' }],
  })
})

it('counts a post as written that has words or media, also in one text alone, or settings', () => {
  const media = { ...newPart(''), attachments: [{ kind: 'media', asset: { assetId: 'a' } }] } as never
  const nothing = { parts: [newPart('')] }
  const written = (patch: Partial<Draft>) => isWritten(draftWith({ ...nothing, ...patch }))
  expect(written({})).toBe(false)
  expect(written({ settings: { linkedinPoll: undefined, xReplyTo: '' } })).toBe(false)
  expect(written({ parts: [newPart(''), newPart('Hi')] })).toBe(true)
  expect(written({ parts: [media] })).toBe(true)
  expect(written({ variants: [{ key: 'v', parts: [newPart('Hi')], ownMedia: false }] })).toBe(true)
  expect(written({ settings: { linkedinPoll: {} } })).toBe(true)
})

it('names the accounts that have the post and those that do not; one that its network has failed has taken it', () => {
  const error = { message: 'No.' }
  const data = [
    { socialAccountId: 'x1', scheduledPost: { id: 's' } },
    { socialAccountId: 't1', error },
    { socialAccountId: 'f1', scheduledPost: { id: 'f' }, error },
  ] as never
  const lacks = [
    { accountId: 't1', message: 'No.' },
    { accountId: 'f1', message: 'No.' },
  ]
  expect(sortOut({ data })).toEqual({ report: { has: ['x1'], lacks }, refused: 1, taken: 2, failed: 1 })
})

it('names after an error which of the chosen accounts have the post all the same', () => {
  const draft = draftWith({ accountIds: ['x1', 't1', 'f1'] })
  const of = (id: string, status: string) => ({ socialAccountId: id, status }) as ScheduledPost
  expect(
    partly(draft, [of('x1', 'scheduled'), of('t1', 'canceled'), of('f1', 'published'), of('other', 'scheduled')]),
  ).toEqual({
    has: ['x1', 'f1'],
    lacks: [{ accountId: 't1', message: null }],
  })
  expect(partly(draft, [])).toBeNull()
  expect(partly(draft, null)).toBeNull()
  expect(
    partly(
      draft,
      ['x1', 't1', 'f1'].map(id => of(id, 'scheduled')),
    ),
  ).toBeNull()
})
