// What follows a scheduled post: its first comment, the comment at a number of likes, its repost; and whether it repeats.
import type { ScheduledPost } from '../../api/extra'

/** How one of them goes: waiting until the post is public, then like a scheduled post. */
export type FollowUp = {
  name: string
  status: string
  scheduledAt?: string
  permalink?: string
  errorMessage?: string
}

type Told = Omit<FollowUp, 'name'>
type Asked = {
  firstComment?: Told | null
  postPublishActions?: { engagementCommentTrigger?: Told; repostAfter?: Told }
  recurrence?: { recurrenceIntervalDays: number; status: string } | null
}

export function followUps(sp: Pick<ScheduledPost, 'status'>): FollowUp[] {
  const { firstComment, postPublishActions: more } = sp as Asked
  const all: [string, Told | null | undefined][] = [
    ['Its first comment', firstComment],
    ['Its comment after enough likes', more?.engagementCommentTrigger],
    ['Its repost', more?.repostAfter],
  ]
  return all.flatMap(([name, told]) => (told?.status ? [{ ...told, name }] : []))
}

/** "every week", or null when it does not repeat any more. */
export function repeats(sp: Pick<ScheduledPost, 'status'>): string | null {
  const { recurrence } = sp as Asked
  if (recurrence?.status !== 'active') return null
  const days = recurrence.recurrenceIntervalDays
  if (days === 1) return 'every day'
  return days === 7 ? 'every week' : `every ${days} days`
}
