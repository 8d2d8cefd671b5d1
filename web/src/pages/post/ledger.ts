// What was tried with a network, put into words: every line tells when, what, how it was classed and what happens next.
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import type { IconName } from '../../ui/Icon'
import { formatDuration } from '../../ui/Time'

export type Attempt = Schemas['Attempt']
type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'info'

export type Verdict = { word: string; tone: Tone; icon: IconName }

export type Line = {
  key: string
  at: number
  what: string
  verdict: Verdict
  said?: string
  next?: string
  nextAt?: number
  took: number | null
  attempt: Attempt
}

const operations: Record<string, string> = {
  prepare: 'Prepared it',
  publish: 'Called the network to publish it',
  resend: 'Sent the identical request again, which the network answers with the post that it has',
  reconcile: 'Looked for it at the network',
  poll: 'Asked the network how far it is',
  delete: 'Called the network to delete it',
}

const verdicts: Record<string, Verdict> = {
  published: { word: 'Published', tone: 'good', icon: 'check' },
  accepted: { word: 'Accepted', tone: 'good', icon: 'check' },
  prepared: { word: 'Ready', tone: 'good', icon: 'check' },
  deleted: { word: 'Deleted', tone: 'good', icon: 'check' },
  already_gone: { word: 'Already gone', tone: 'plain', icon: 'check' },
  absent: { word: 'Not there', tone: 'plain', icon: 'minus' },
  not_sent: { word: 'Not sent', tone: 'plain', icon: 'minus' },
  repeated: { word: 'Sent again since', tone: 'plain', icon: 'refresh' },
  waiting: { word: 'Waits for a decision', tone: 'info', icon: 'clock' },
  not_needed: { word: 'Not needed', tone: 'plain', icon: 'minus' },
  not_supported: { word: 'Has to be deleted there', tone: 'warn', icon: 'attention' },
  failed: { word: 'Failed', tone: 'bad', icon: 'cross' },
  pending: { word: 'Not ready yet', tone: 'info', icon: 'clock' },
  unclear: { word: 'Nothing can tell', tone: 'warn', icon: 'question' },
  unknown: { word: 'Answer lost', tone: 'warn', icon: 'question' },
  outcome_unknown: { word: 'Answer lost', tone: 'warn', icon: 'question' },
  temporary: { word: 'Passing problem', tone: 'warn', icon: 'attention' },
  rate_limited: { word: 'Too many requests', tone: 'warn', icon: 'clock' },
  auth_expired: { word: 'Connection refused', tone: 'bad', icon: 'lock' },
  rejected: { word: 'Refused', tone: 'bad', icon: 'cross' },
}

function verdictOf(a: Attempt): Verdict {
  const calls = a.operation === 'publish' || a.operation === 'resend'
  // The outcome of a call whose answer was lost is filled in when it has been found out.
  if (calls && a.errorCode === 'outcome_unknown') {
    const answer = a.exchanges.at(-1)?.status ? 'Unclear answer' : 'Answer lost'
    if (a.outcome === 'published') return { word: `${answer}; found published`, tone: 'good', icon: 'check' }
    if (a.outcome === 'absent') return { word: `${answer}; had no effect`, tone: 'warn', icon: 'minus' }
    return { word: answer, tone: 'warn', icon: 'question' }
  }
  if (a.operation === 'reconcile' && a.outcome === 'published')
    return { word: 'It is there', tone: 'good', icon: 'check' }
  if (!a.outcome) {
    return a.endedAt
      ? { word: 'Ended', tone: 'plain', icon: 'minus' }
      : { word: 'Under way', tone: 'info', icon: 'send' }
  }
  return verdicts[a.outcome] ?? { word: a.outcome, tone: 'plain', icon: 'minus' }
}

export function ledger(attempts: Attempt[]): Line[] {
  return attempts.map(a => ({
    key: a.id,
    at: Date.parse(a.startedAt),
    what: describe(a),
    verdict: verdictOf(a),
    said: a.message || undefined,
    next: nextInWords(a.nextStep),
    nextAt: a.nextAt ? Date.parse(a.nextAt) : undefined,
    took: a.durationMillis,
    attempt: a,
  }))
}

/** "Then: look again", or why there is no next step: "It is public". */
function nextInWords(step: string | undefined): string | undefined {
  if (!step || step === 'nothing') return undefined
  if (!step.startsWith('nothing')) return `Then: ${step}`
  if (step.startsWith('nothing by itself: ')) return `Not tried again by itself: ${step.slice(19)}`
  const said = step.replace(/^nothing: /, '')
  return said.charAt(0).toUpperCase() + said.slice(1)
}

/** What was to be done, of an attempt of which nothing was sent. */
const unsent: Record<string, string> = {
  resend: 'Was about to send the identical request again',
  delete: 'Was asked to delete it there too',
}

function describe(a: Attempt): string {
  const nothing = a.outcome === 'not_sent' || a.outcome === 'waiting' || a.outcome === 'not_needed'
  const what = (nothing ? unsent[a.operation] : operations[a.operation]) ?? a.operation
  if (a.actionId)
    return a.operation === 'publish'
      ? 'Called the network for what follows the post'
      : `${what} (what follows the post)`
  return a.part > 0 && a.operation !== 'reconcile' ? `${what}, part ${a.part + 1}` : what
}

/** Whether a deletion on the network waits until a person tells what is there, of the post or of what follows it. */
export const deletionWaits = (attempts: Attempt[], ofFollowUp: boolean) =>
  attempts.some(a => a.operation === 'delete' && a.outcome === 'waiting' && (a.actionId !== undefined) === ofFollowUp)

const isCall = (a: Attempt) =>
  !a.actionId && (a.operation === 'publish' || a.operation === 'resend') && a.outcome !== 'not_sent'

/** When the first call left, and how late that was; null before it did. */
export function departure(
  sp: Pick<ScheduledPost, 'scheduledAt'>,
  attempts: Attempt[],
): { left: number; late: number } | null {
  const first = attempts.find(isCall)
  if (!first) return null
  const exchange = first.exchanges.find(e => e.operation === 'publish') ?? first.exchanges[0]
  const left = Date.parse(exchange?.startedAt ?? first.startedAt)
  return { left, late: left - Date.parse(sp.scheduledAt) }
}

/** "12 ms after it was due". */
export function lateness(late: number): string {
  if (Math.abs(late) < 1) return 'exactly when it was due'
  return late < 0 ? `${formatDuration(-late)} before it was due` : `${formatDuration(late)} after it was due`
}

/** Why it is there once, and not twice: what became of every call that could have published it. */
export function proof(sp: Pick<ScheduledPost, 'status' | 'publishResults'>, attempts: Attempt[]): string | null {
  const calls = attempts.filter(isCall)
  if (sp.status !== 'published' || calls.length === 0) return null
  const parts = Math.max(1, sp.publishResults.platformPostIds.length)
  const effective = calls.filter(a => a.outcome === 'published' || a.outcome === 'accepted')
  const lost = effective.filter(a => a.errorCode === 'outcome_unknown')
  const without = calls.length - effective.length
  const looked = attempts.filter(a => a.operation === 'reconcile' && !a.actionId).length
  const it = parts === 1 ? 'It is there once' : `Its ${parts} parts are there once each`
  const sent =
    calls.length === 1
      ? 'one call was sent'
      : `of ${calls.length} calls ${effective.length === 1 ? 'one' : effective.length} took effect`
  const rest = [
    without > 0 && `${without === 1 ? 'the other' : `the other ${without}`} had no effect`,
    lost.length > 0 && 'an answer was missing, so the network was asked before anything was sent again',
    lost.length === 0 &&
      looked > 0 &&
      `the network was asked ${looked === 1 ? 'once' : `${looked} times`} before the next call`,
  ].filter(Boolean)
  return `${it}: ${[sent, ...rest].join('; ')}.`
}
