// Why a scheduled post or an account needs a person, in a sentence, and the one thing that helps.
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { networkNames } from '../../ui/NetworkGlyph'
import { followUps } from '../post/followUps'

type Account = Schemas['SocialAccount']

/** reconnect: the account. retry: send again. edit: change the content. resolve: look at the network. credits: buy or grant. */
export type Remedy = 'reconnect' | 'retry' | 'edit' | 'resolve' | 'credits' | 'none'

type Cause = { sentence: (network: string) => string; remedy: Remedy }

const causes: Record<string, Cause> = {
  auth_expired: { sentence: n => `${n} no longer accepts the connection of this account.`, remedy: 'reconnect' },
  account_disconnected: { sentence: () => 'The account was not connected when it was due.', remedy: 'reconnect' },
  permission_missing: { sentence: n => `The connection lacks a permission that ${n} asks for.`, remedy: 'reconnect' },
  rate_limited: { sentence: n => `${n} had too many requests and took no more in time.`, remedy: 'retry' },
  quota_exhausted: { sentence: n => `The quota of this account on ${n} was used up.`, remedy: 'retry' },
  duplicate_content: { sentence: n => `${n} has the same content from this account already.`, remedy: 'edit' },
  content_rejected: { sentence: n => `${n} refused the content.`, remedy: 'edit' },
  media_rejected: { sentence: n => `${n} refused the media.`, remedy: 'edit' },
  account_restricted: { sentence: n => `${n} has restricted this account.`, remedy: 'retry' },
  provider_unavailable: { sentence: n => `${n} could not be reached in time.`, remedy: 'retry' },
  outcome_unknown: {
    sentence: n => `${n} did not answer, and nothing tells whether the post is there.`,
    remedy: 'resolve',
  },
  credits_exhausted: { sentence: () => 'There were not enough credits.', remedy: 'credits' },
  missed: { sentence: () => 'Its time passed before it could be sent.', remedy: 'retry' },
}

const byStatus: Record<string, Cause> = {
  unknown: { sentence: n => `${n} did not answer, and nothing tells whether the post is there.`, remedy: 'resolve' },
  missed: {
    sentence: () => 'Its time passed before it could be sent, and nothing goes out late by itself.',
    remedy: 'retry',
  },
  failed: { sentence: n => `${n} did not take it.`, remedy: 'retry' },
}

const notThere: Cause = { sentence: n => `Somebody looked at ${n} and did not find it.`, remedy: 'retry' }

type Asked = Pick<ScheduledPost, 'status' | 'errorCode' | 'errorMessage'>

/** What a server or a network says, as a sentence of its own. */
export function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…。]$/.test(begun) || begun === '' ? begun : `${begun}.`
}

function knownCause(sp: Asked): Cause | undefined {
  if (sp.status === 'unknown') return byStatus.unknown
  if (sp.status === 'failed' && sp.errorCode === 'outcome_unknown') return notThere // a person has looked
  return causes[sp.errorCode ?? ''] ?? byStatus[sp.status]
}

/** Whether it can be tried again: one whose place another has taken would be published twice, and is refused. */
export const mayTryAgain = (sp: Pick<ScheduledPost, 'status' | 'replacedBy'>) =>
  (sp.status === 'failed' || sp.status === 'missed') && !sp.replacedBy

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** What happened to a scheduled post, and what helps. */
export function causeOf(
  sp: Asked,
  account: Pick<Account, 'provider' | 'status'> | undefined,
): { sentence: string; said?: string; remedy: Remedy } {
  const network = account ? networkNames[account.provider] : 'The network'
  const action = followUps(sp).find(f => ['failed', 'missed', 'unknown'].includes(f.status))
  if (sp.status === 'published' && action?.status === 'unknown') {
    const sentence = `It is published. ${network} did not answer, and nothing tells whether ${lower(action.name)} is there.`
    return { sentence, remedy: 'resolve' }
  }
  if (sp.status === 'published' && action) {
    return { sentence: `It is published. ${action.name} failed.`, said: action.errorMessage, remedy: 'none' }
  }
  const known = knownCause(sp)
  if (!known) return { sentence: sp.errorMessage ?? 'No reason was given.', remedy: 'none' }
  const sentence = known.sentence(network)
  // A mended account needs no reconnecting any more: then the post is sent again.
  const remedy = known.remedy === 'reconnect' && account?.status === 'connected' ? 'retry' : known.remedy
  const said = sp.errorMessage && asSentence(sp.errorMessage)
  return { sentence, said: said && said !== sentence ? said : undefined, remedy }
}

/** What is wrong with an account, or null when it is well or was switched off on purpose. */
export function accountCause(a: Account): string | null {
  if (a.status === 'refresh_needed') {
    return a.accountHealthMessage ?? `${networkNames[a.provider]} no longer accepts the connection of this account.`
  }
  if (a.status !== 'connected' || !a.accountHealthIssue) return null
  const issues: Record<string, string> = {
    verification_required: `${networkNames[a.provider]} wants the account to be verified.`,
    auth_failed: `${networkNames[a.provider]} refused the connection of this account.`,
    rate_limited: `${networkNames[a.provider]} is slowing this account down.`,
  }
  return a.accountHealthMessage ?? issues[a.accountHealthIssue] ?? 'The account has a problem.'
}
