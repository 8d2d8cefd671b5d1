// What pressing the button will do: the request, and the words on the button.

import type { Schemas } from '../../api/client'
import type { ScheduledPost, ValidationResult } from '../../api/extra'
import { formatInstant } from '../../ui/Time'
import { instantOf, isDate, minutesOf } from '../../zone'
import { type Account, type Draft, type Settings, toActions, toPostInput } from './draft'
import { timeHint } from './timeHint'

type Body = Schemas['ScheduleRequest']

/** The instant of a chosen time in the team's zone, or null while it is incomplete; of planned times, the first. */
export function chosenInstant(draft: Draft, zone: string): number | null {
  if (draft.when.kind === 'planned') return Math.min(...Object.values(draft.when.times).map(t => Date.parse(t)))
  if (draft.when.kind !== 'time') return null
  const { date, time } = draft.when
  if (!isDate(date) || !/^\d{2}:\d{2}$/.test(time)) return null
  return instantOf({ date, minutes: minutesOf(time) }, zone)
}

function withoutUnset(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, v]) => v !== undefined && v !== ''))
}

/** Settings of networks that are not chosen are left out, so that a forgotten one cannot refuse the post. */
function settingsFor(
  draft: Draft,
  accounts: Account[],
): Pick<Body, 'platformSettings' | 'platformSettingsBySocialAccountId'> {
  const chosen = accounts.filter(a => draft.accountIds.includes(a.id))
  const wanted = (k: string) => chosen.some(a => k.startsWith(a.provider))
  const shared = Object.fromEntries(Object.entries(withoutUnset(draft.settings)).filter(([k]) => wanted(k)))
  const own = Object.entries(draft.accountSettings)
    .filter(([id]) => draft.accountIds.includes(id))
    .map(([id, s]) => [id, withoutUnset(s)] as const)
    .filter(([, s]) => Object.keys(s).length > 0)
  return {
    ...(Object.keys(shared).length > 0 ? { platformSettings: shared } : {}),
    ...(own.length > 0 ? { platformSettingsBySocialAccountId: Object.fromEntries(own) } : {}),
  }
}

/** What schedule and post-now have in common. */
export function publishBody(
  draft: Draft,
  accounts: Account[],
  zone: string,
): Omit<Body, 'scheduledAt' | 'useNextSlot'> {
  return {
    socialAccountIds: draft.accountIds.filter(id => accounts.some(a => a.id === id)),
    timezone: zone,
    ...settingsFor(draft, accounts),
    ...toActions(draft),
  }
}

/** The body of schedule, or null when its time is incomplete. */
export function scheduleBody(draft: Draft, accounts: Account[], zone: string): Body | null {
  const body = publishBody(draft, accounts, zone)
  if (draft.when.kind === 'slot') return { ...body, useNextSlot: true }
  const at = chosenInstant(draft, zone)
  return at === null ? null : { ...body, scheduledAt: new Date(at).toISOString() }
}

/**
 * The bodies of schedule, or null when the time is incomplete: one; of planned times, one for each. An account that has no
 * time yet goes with the first.
 */
export function scheduleBodies(draft: Draft, accounts: Account[], zone: string): Body[] | null {
  const body = scheduleBody(draft, accounts, zone)
  if (!body || draft.when.kind !== 'planned') return body && [body]
  const { times } = draft.when
  const timeOf = (id: string) => Date.parse(times[id] ?? body.scheduledAt ?? '')
  const instants = [...new Set(body.socialAccountIds.map(timeOf))].sort((a, b) => a - b)
  return instants.map(at => ({
    ...publishBody({ ...draft, accountIds: body.socialAccountIds.filter(id => timeOf(id) === at) }, accounts, zone),
    scheduledAt: new Date(at).toISOString(),
  }))
}

/**
 * What the dry run is asked. Without a time, as in a draft, it tries out publishing now; so it does where the time cannot
 * be, which is told beside it: what the networks say of the content is still to be seen.
 */
export function dryRunBody(draft: Draft, accounts: Account[], zone: string, now: number) {
  const timed = timeHint(draft, zone, now)?.stops ? null : scheduleBody(draft, accounts, zone)
  const body = timed ?? publishBody(draft, accounts, zone)
  return { postInput: toPostInput(draft), ...body }
}

export type Verdict = { ready: number; refused: number; credits: number; slotAt: number | null; affordable: boolean }

export function verdictOf(result: ValidationResult | null): Verdict | null {
  if (!result) return null
  const ready = result.data.filter(e => e.ok)
  return {
    ready: ready.length,
    refused: result.data.length - ready.length,
    credits: result.creditCost,
    slotAt: result.slotAt ? Date.parse(result.slotAt) : null,
    affordable: result.affordableNow,
  }
}

/** Whether there is anything to publish: words or media in any text, or settings, which may be a poll. */
export function isWritten(draft: Pick<Draft, 'parts' | 'variants' | 'settings' | 'accountSettings'>): boolean {
  const settings = [draft.settings, ...Object.values(draft.accountSettings)]
  if (settings.some(s => Object.values(withoutUnset(s)).some(v => v !== null))) return true
  return [draft, ...draft.variants].some(t => t.parts.some(p => p.text.trim() !== '' || p.attachments.length > 0))
}

const posts = (n: number) => (n === 1 ? '1 post' : `${n} posts`)

/** What can still be taken back: nothing of it is on its way to the network. */
export const planned = (waiting: ScheduledPost[]) => waiting.filter(s => s.status === 'scheduled')

/** What will go out, or is on its way. */
export const live = (s: ScheduledPost) => ['scheduled', 'publishing', 'processing'].includes(s.status)

/**
 * What waits after the accounts have answered, where some have refused and the composer stays open. What is published
 * now is under way, whatever it says yet: a second press neither cancels it nor is an update of it. kept is what could
 * not be canceled, as it is now.
 */
export function waitingAfter(
  draft: Draft,
  before: ScheduledPost[],
  result: Pick<Schemas['ScheduleResult'], 'data'>,
  kept: ScheduledPost[],
): ScheduledPost[] {
  const taken = result.data.flatMap(e => (e.scheduledPost && live(e.scheduledPost) ? [e.scheduledPost] : []))
  const gone = [...dropped(draft, before), ...taken].map(s => s.id)
  const now = draft.when.kind === 'now'
  return [
    ...before.filter(s => !gone.includes(s.id)),
    ...kept.filter(live),
    ...taken.map(s => (now ? { ...s, status: 'publishing' as const } : s)),
  ]
}

/** Accounts that are publishing it now are not asked again. What is planned stays chosen: leaving it out cancels it. */
export function withoutSent(draft: Draft, result: Pick<Schemas['ScheduleResult'], 'data'>): Draft {
  if (draft.when.kind !== 'now') return draft
  const sent = result.data.flatMap(e => (e.scheduledPost && !e.error ? [e.socialAccountId] : []))
  return { ...draft, accountIds: draft.accountIds.filter(id => !sent.includes(id)) }
}

/** What waits on accounts that are not chosen any more. */
export function dropped(draft: Draft, waiting: ScheduledPost[]): ScheduledPost[] {
  return planned(waiting).filter(s => !draft.accountIds.includes(s.socialAccountId))
}

/** What the button waits for: a post goes out with its media or not at all. */
export function awaitedUploads(uploads: { state: string }[]): string | null {
  if (uploads.length === 0) return null
  if (uploads.some(u => u.state === 'failed' || u.state === 'needs-file')) return 'An upload needs you'
  return uploads.length === 1 ? 'Waiting for the upload' : `Waiting for ${uploads.length} uploads`
}

/**
 * What the button says. verdict is null while the newest content is being checked: then the accounts count as ready, and
 * no cost is claimed.
 */
export function describeAction(draft: Draft, verdict: Verdict | null, zone: string, waiting: ScheduledPost[]): string {
  const count = verdict ? verdict.ready : draft.accountIds.length
  const before = planned(waiting).length
  if (draft.when.kind === 'draft') return before > 0 ? `Cancel ${posts(before)} and keep as a draft` : 'Save draft'
  if (draft.accountIds.length === 0) return 'Choose accounts'
  if (!isWritten(draft)) return 'Write something first'
  if (verdict?.ready === 0) return 'No account takes it yet'
  const cost = verdict && verdict.credits > 0 ? ` · ${verdict.credits.toLocaleString('en')} credits` : ''
  if (draft.when.kind === 'now') return `Publish ${posts(count)} now${cost}`
  const verb = before > 0 ? 'Update' : 'Schedule'
  const gone = dropped(draft, waiting).length
  const less = gone > 0 ? `, cancel ${gone}` : ''
  if (draft.when.kind === 'planned') return `${verb} ${posts(count)} as planned${less}${cost}`
  const at = draft.when.kind === 'slot' ? (verdict?.slotAt ?? null) : chosenInstant(draft, zone)
  const time =
    at === null
      ? draft.when.kind === 'slot'
        ? ' for the next free slot'
        : ''
      : ` for ${formatInstant(at, zone, 'short')}`
  return `${verb} ${posts(count)}${time}${less}${cost}`
}

/** What is wrong in the words of its issues: the message itself also names the fields. */
function reasonOf(error: { message: string; issues?: { message: string }[] }): string {
  const said = [...new Set(error.issues?.map(i => i.message))]
  return said.length > 0 ? said.join('; ') : error.message
}

/** Which accounts have the post, planned or out, and which do not, with the reason where it is known. */
export type Report = { has: string[]; lacks: { accountId: string; message: string | null }[] }

/**
 * Who has the post and who does not, how many took it, and whether all did. A network may have failed it by the time of
 * the answer: such a post was taken, and its own page says why it failed.
 */
export function sortOut(result: Pick<Schemas['ScheduleResult'], 'data'>): {
  report: Report
  refused: number
  taken: number
  failed: number
} {
  const taken = result.data.filter(e => e.scheduledPost)
  const lacks = result.data.flatMap(e =>
    e.error ? [{ accountId: e.socialAccountId, message: reasonOf(e.error) }] : [],
  )
  const has = taken.filter(e => !e.error).map(e => e.socialAccountId)
  return {
    report: { has, lacks },
    refused: result.data.length - taken.length,
    taken: taken.length,
    failed: taken.filter(e => e.error).length,
  }
}

/** After an error: which of the chosen accounts have it all the same. Null where all have it, or none. */
export function partly(draft: Draft, now: ScheduledPost[] | null): Report | null {
  const there = (id: string) => now?.some(s => s.socialAccountId === id && (live(s) || s.status === 'published'))
  const has = draft.accountIds.filter(there)
  const lacks = draft.accountIds.filter(id => !has.includes(id)).map(accountId => ({ accountId, message: null }))
  return has.length > 0 && lacks.length > 0 ? { has, lacks } : null
}

/**
 * What an error has left behind, as the head of its message: whoever believes that nothing goes out writes it a second
 * time. before is what waited, now what goes out after the error; null when that could not be found out.
 */
export function failureWords(
  kind: Draft['when']['kind'],
  before: ScheduledPost[],
  now: ScheduledPost[] | null,
): string {
  const waited = before.length > 0
  const waits = now?.some(live)
  if (kind === 'draft') {
    if (!waited) return 'It was not saved'
    if (!now) return 'Whether it was taken back is not known'
    return waits ? 'It was not taken back, and is still scheduled' : 'It was taken back, but its changes are not saved'
  }
  if (!now) return 'What of it is scheduled now is not known'
  if (waited) return waits ? 'It is still scheduled; at most its text has changed' : 'It is not scheduled any more'
  if (waits) return 'It is scheduled, but not all of this was done'
  return kind === 'now' ? 'It was not published' : 'It was not scheduled'
}
