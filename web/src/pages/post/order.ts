// Which of a post's deliveries a person looks at first, and which of them others have taken the place of.
import type { ScheduledPost } from '../../api/extra'

type Delivery = Pick<ScheduledPost, 'id' | 'socialAccountId' | 'status' | 'needsAttention' | 'createdAt' | 'recurrence'>

const broken = (s: Pick<Delivery, 'status'>) => s.status === 'failed' || s.status === 'missed'

/** Failures on accounts that the post was sent to again. An unknown one stays: somebody has to look at the network. */
export function sentAgain<D extends Delivery>(list: D[], accountIds: string[]): D[] {
  return list.filter(s => broken(s) && s.needsAttention && accountIds.includes(s.socialAccountId))
}

/**
 * Whether a failure was dealt with by a later delivery to the same account: trying it again would post it twice, and is
 * refused. A later one of a series was planned anyway, and replaces it only when somebody said so.
 */
export function isReplaced(s: Delivery, list: Delivery[]): boolean {
  return (
    broken(s) &&
    !(s.needsAttention && s.recurrence) &&
    list.some(
      other =>
        other.socialAccountId === s.socialAccountId && other.createdAt > s.createdAt && other.status !== 'canceled',
    )
  )
}

/** What needs a person first, what was canceled or replaced last; otherwise as it was. */
export function inOrder<D extends Delivery>(list: D[]): D[] {
  const rank = (s: D) => {
    if (s.status === 'canceled' || isReplaced(s, list)) return 2
    return broken(s) || s.status === 'unknown' ? 0 : 1
  }
  return list.toSorted((a, b) => rank(a) - rank(b))
}
