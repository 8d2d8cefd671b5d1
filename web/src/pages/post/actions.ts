import { useState } from 'react'
import { newIdempotencyKey } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { useSession } from '../../session'
import { endUndo, toast, toastError } from '../../ui'
import { refreshPosts, schedulePost } from '../compose/requests'
import { cancel, dismiss, type Post, retry, setStatus } from './data'

/** Acts on scheduled posts: busy while it lasts, told in a toast, everything that shows them fetched again. */
export function useAct() {
  const { team } = useSession()
  const [busy, setBusy] = useState<string | null>(null)
  const act = async (name: string, work: () => Promise<unknown>, done: string, undo?: () => Promise<void>) => {
    setBusy(name)
    endUndo()
    try {
      await work()
      toast(done, undo)
      return true
    } catch (e) {
      toastError('That did not work', e)
      return false
    } finally {
      refreshPosts(team.id)
      setBusy(null)
    }
  }
  return {
    busy,
    act,
    reopen: (post: Pick<Post, 'id' | 'contentPayloadId'>) =>
      act(
        'reopen',
        () => setStatus(team.id, post, 'draft'),
        team.requireApproval ? 'Back in drafts, to be approved' : 'Back in drafts',
      ),
    retry: (sp: ScheduledPost) => act(`retry ${sp.id}`, () => retry(team.id, sp.id), 'It is tried again'),
    dismiss: (sp: ScheduledPost) =>
      act(`dismiss ${sp.id}`, () => dismiss(team.id, sp.id), 'Dismissed; it stays in the record'),
    cancel: (sp: ScheduledPost) =>
      act(
        `cancel ${sp.id}`,
        () => cancel(team.id, sp.id),
        'Canceled for this account',
        () => reschedule(team.id, sp),
      ),
  }
}

/** Takes a cancellation back: the same account, time and settings. */
async function reschedule(teamId: string, sp: ScheduledPost) {
  try {
    const body = {
      socialAccountIds: [sp.socialAccountId],
      scheduledAt: sp.scheduledAt,
      timezone: sp.timezone,
      platformSettings: sp.platformSettings as Record<string, unknown>,
    }
    const result = await schedulePost(teamId, sp.contentItemId, body, newIdempotencyKey())
    const error = result.data[0]?.error
    if (error) throw new Error(error.message)
    toast('Scheduled again')
  } catch (e) {
    toastError('It could not be scheduled again', e)
  } finally {
    refreshPosts(teamId)
  }
}
