// What follows a scheduled post: its first comment, the comment at a number of likes, its repost; and whether it repeats.
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'

/** How one of them goes: waiting until the post is public, then like a scheduled post. */
export type FollowUp = {
  action: FollowUpAction
  name: string
  status: string
  scheduledAt?: string
  permalink?: string
  errorMessage?: string
}

export type FollowUpAction = NonNullable<Schemas['Resolution']['action']>

type Told = Omit<FollowUp, 'action' | 'name'>
type Asked = {
  firstComment?: Told | null
  postPublishActions?: { engagementCommentTrigger?: Told; repostAfter?: Told }
  recurrence?: { recurrenceIntervalDays: number; status: string } | null
}

export function followUps(sp: Pick<ScheduledPost, 'status'>): FollowUp[] {
  const { firstComment, postPublishActions: more } = sp as Asked
  const all: [FollowUpAction, string, Told | null | undefined][] = [
    ['first_comment', 'Its first comment', firstComment],
    ['engagement_comment', 'Its comment after enough likes', more?.engagementCommentTrigger],
    ['repost', 'Its repost', more?.repostAfter],
  ]
  return all.flatMap(([action, name, told]) => (told?.status ? [{ ...told, action, name }] : []))
}

/** The first of them of which nobody knows whether it was published. */
export const unknownFollowUp = (sp: Pick<ScheduledPost, 'status'>) => followUps(sp).find(f => f.status === 'unknown')

/** "every week", or null when it does not repeat any more. */
export function repeats(sp: Pick<ScheduledPost, 'status'>): string | null {
  const { recurrence } = sp as Asked
  if (recurrence?.status !== 'active') return null
  const days = recurrence.recurrenceIntervalDays
  if (days === 1) return 'every day'
  return days === 7 ? 'every week' : `every ${days} days`
}
