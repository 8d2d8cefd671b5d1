// The plan that the composer begins with: where the post goes, when, and with which settings.
import type { ScheduledPost } from '../../api/extra'
import { clock, instantOf, wallAt } from '../../zone'
import { type Account, type Draft, isBlank, type Post, type Settings, type When } from './draft'
import type { LocalCopy } from './localCopy'

/** What the address names: a time and accounts, as the calendar does. */
export type Asked = { at?: string; accounts?: string }

export type Start = {
  /** What the plan follows from. A plan that was changed here holds for as long as that is the same. */
  from: string
  plan: (draft: Draft, copy: LocalCopy | null) => Draft
}

type Known = {
  asked: Asked
  post: Pick<Post, 'scheduledDestinationAccountIds'> | null
  waiting: ScheduledPost[]
  accounts: Account[]
  zone: string
}

export function startOf(known: Known): Start {
  const { asked, waiting, accounts } = known
  const planned = waiting.map(s => [s.socialAccountId, s.scheduledAt, s.platformSettings])
  const from = JSON.stringify([asked.at ?? '', asked.accounts ?? '', planned])
  return {
    from,
    plan: (draft, copy) => {
      // Whoever comes with a time again means that time, unless something was written for it already.
      const changed = copy !== null && copy.from === from && !(asked.at && isBlank(copy.draft))
      const ids = changed ? notYet(draft, known) : beginAt(draft, known)
      const accountIds = accounts.map(a => a.id).filter(id => ids.includes(id))
      return { ...draft, accountIds, ...(changed ? {} : { ...settingsOf(waiting, accounts), ...whenOf(known) }) }
    },
  }
}

/** The accounts to begin with. */
function beginAt(draft: Draft, known: Known): string[] {
  const { asked, waiting, accounts } = known
  const wanted = asked.accounts?.split(',').filter(id => accounts.some(a => a.id === id)) ?? []
  const planned = waiting.map(s => s.socialAccountId)
  return [wanted, planned, notYet(draft, known)].find(list => list.length > 0) ?? []
}

/** The accounts of a draft, less those that have the post already: they are not asked again. */
function notYet(draft: Draft, { post, waiting }: Known): string[] {
  const planned = waiting.map(s => s.socialAccountId)
  const published = post?.scheduledDestinationAccountIds ?? []
  return draft.accountIds.filter(id => planned.includes(id) || !published.includes(id))
}

function whenOf({ asked, waiting, zone }: Known): { when?: When } {
  const times = new Set(waiting.map(s => Date.parse(s.scheduledAt)))
  const instant = Date.parse(asked.at ?? waiting[0]?.scheduledAt ?? '')
  if (Number.isNaN(instant)) return {}
  const wall = wallAt(instant, zone)
  // Accounts may have been moved apart; and a choice has no seconds, nor the second one of an hour that comes twice.
  if (!asked.at && (times.size > 1 || instantOf(wall, zone) !== instant)) {
    const byAccount = waiting.map(s => [s.socialAccountId, s.scheduledAt])
    return { when: { kind: 'planned', times: Object.fromEntries(byAccount) } }
  }
  return { when: { kind: 'time', date: wall.date, time: clock(wall.minutes) } }
}

/**
 * The settings of what waits, as the forms show them: one form for a network, one for each account of TikTok. What differs
 * between the accounts of a network stays with each of them.
 */
export function settingsOf(
  waiting: ScheduledPost[],
  accounts: Account[],
): Partial<Pick<Draft, 'settings' | 'accountSettings'>> {
  if (waiting.length === 0) return {}
  const providerOf = (s: ScheduledPost) => accounts.find(a => a.id === s.socialAccountId)?.provider
  const settings: Settings = {}
  const accountSettings: Record<string, Settings> = {}
  for (const s of waiting) {
    const provider = providerOf(s)
    const others = waiting.filter(o => providerOf(o) === provider)
    for (const [key, value] of Object.entries(s.platformSettings)) {
      const text = JSON.stringify(value)
      const common = provider !== 'tiktok' && others.every(o => JSON.stringify(o.platformSettings[key]) === text)
      if (common) settings[key] = value
      else accountSettings[s.socialAccountId] = { ...accountSettings[s.socialAccountId], [key]: value }
    }
  }
  return { settings, accountSettings }
}
