// Which of a post's deliveries a person looks at first, and which of them others have taken the place of.
import type { ScheduledPost } from '../../api/extra'

type Delivery = Pick<
  ScheduledPost,
  'id' | 'socialAccountId' | 'status' | 'needsAttention' | 'replacedBy' | 'scheduledAt'
>

const broken = (s: Pick<Delivery, 'status'>) => s.status === 'failed' || s.status === 'missed'

/** Failures on accounts that the post was sent to again. An unknown one stays: somebody has to look at the network. */
export function sentAgain<D extends Delivery>(list: D[], accountIds: string[]): D[] {
  return list.filter(s => broken(s) && s.needsAttention && accountIds.includes(s.socialAccountId))
}

/** What became of a failure whose place another delivery to the same account has taken; null where it can be tried again. */
export function replacement(s: Delivery, list: Delivery[]): string | null {
  if (!s.replacedBy) return null
  const by = list.find(other => other.id === s.replacedBy)?.status
  if (by === 'published') return 'Published on this account since'
  return by === 'failed' || by === 'missed' ? 'Sent to this account again since' : 'Planned on this account again'
}

/** The status to show. Once its time has come it is no longer planned, whether or not it was taken up yet. */
export const shownStatus = (s: Pick<ScheduledPost, 'status' | 'scheduledAt'>, now: number): string =>
  s.status === 'scheduled' && Date.parse(s.scheduledAt) <= now ? 'due' : s.status

/** What needs a person first, what was canceled or replaced last; else the newest first, and the accounts as everywhere. */
export function inOrder<D extends Delivery>(list: D[], accounts: { id: string }[]): D[] {
  const place = (s: D) => accounts.findIndex(a => a.id === s.socialAccountId)
  const rank = (s: D) => {
    if (s.status === 'canceled' || (s.replacedBy && !s.needsAttention)) return 2
    return broken(s) || s.status === 'unknown' ? 0 : 1
  }
  return list.toSorted((a, b) => rank(a) - rank(b) || b.scheduledAt.localeCompare(a.scheduledAt) || place(a) - place(b))
}
