import type { CrierEvent } from './extra'
import type { Noun } from './query'

/** What has to be fetched again after events of a kind; the kind is the part of the type before the dot. */
const nouns: Record<string, Noun[]> = {
  post: ['posts', 'calendar', 'scheduled-posts'],
  scheduled_post: ['calendar', 'scheduled-posts', 'posts', 'slots'],
  social_account: ['accounts', 'calendar'],
  asset: ['assets'],
  credits: ['credits', 'context'],
  member: ['members', 'context'],
  api_key: ['keys'],
  webhook: ['webhooks'],
  metrics: ['analytics'],
}

/** A set of queries to fetch again: a noun, and the team or organization, if it is known. */
export type Affected = { noun: Noun; scope: string | null }

/** Merges events into what is to be fetched again, each once, in the order of first mention. */
export function affected(events: { type: string; teamId: CrierEvent['teamId'] }[]): Affected[] {
  const merged = new Map<string, Affected>()
  for (const { type, teamId } of events) {
    const kind = type.slice(0, type.indexOf('.'))
    for (const noun of nouns[kind] ?? []) {
      merged.set(`${noun} ${teamId}`, { noun, scope: teamId })
    }
  }
  return [...merged.values()]
}
