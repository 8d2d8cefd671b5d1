import { useNavigate, useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { useIntents } from '../../api/intents'
import { useCan, useSession } from '../../session'
import { formatInstant, toast, toastError, useSearchState } from '../../ui'
import { cancel, dismiss, readScheduledPosts, setStatus } from '../post/data'
import { sentAgain } from '../post/order'
import { type Account, type Draft, sameContent } from './draft'
import { rememberAccounts } from './lastAccounts'
import {
  dropped,
  failureWords,
  live,
  partly,
  planned,
  publishBody,
  type Report,
  scheduleBodies,
  sortOut,
  waitingAfter,
  withoutSent,
} from './plan'
import { approve, isConflict, isGone, moveToDraft, publishNow, readPost, refreshPosts, schedulePost } from './requests'
import type { Saved } from './saver'
import type { Composer } from './useComposer'

const changedElsewhere = 'It was changed elsewhere meanwhile. Choose above which version it is to be.'
const deletedElsewhere = 'It was deleted elsewhere meanwhile. What you wrote is still here.'

type Result = Pick<Schemas['ScheduleResult'], 'data'>

/** Does what the button says; what single accounts refuse is told, and the others go on. */
export function usePublish(composer: Composer, accounts: Account[]) {
  const { waiting } = composer
  const { team, zone } = useSession()
  const mayApprove = useCan('approve_posts')
  const navigate = useNavigate()
  const router = useRouter()
  const [{ back }] = useSearchState()
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const [report, setReport] = useState<Report | null>(null)
  const intents = useIntents()

  /** To the post; or, once it is planned, back to the calendar or queue that a free time was chosen on. */
  const leave = (postId: string, planned: boolean) => {
    if (planned && back === 'yes' && router.history.canGoBack()) router.history.back()
    else navigate({ to: '/posts/$postId', params: { postId } })
  }

  /** Another version of the post is another press: what an account refused of the last one is asked again. */
  const send = async ({ id: postId, contentPayloadId: version }: Saved, draft: Draft) => {
    if (draft.when.kind === 'now') {
      const body = publishBody(draft, accounts, zone)
      const key = intents.keyFor('publish', { postId, version, body })
      return publishNow(team.id, postId, body, key, version)
    }
    const bodies = scheduleBodies(draft, accounts, zone)
    if (!bodies) throw new Error('Choose a date and a time.')
    const data: Schemas['ScheduleResult']['data'] = []
    for (const [n, body] of bodies.entries()) {
      const key = intents.keyFor('publish', { postId, version, bodies }, n)
      data.push(...(await schedulePost(team.id, postId, body, key, version)).data)
    }
    return { data }
  }

  const finish = (
    postId: string,
    draft: Draft,
    result: Result,
    { first, kept }: { first: boolean; kept: ScheduledPost[] },
  ) => {
    const { report, refused, taken, failed } = sortOut(result)
    setReport(report)
    if (taken === 0) return
    composer.setWaiting(waitingAfter(draft, waiting, result, kept))
    // Mending what failed on one account says nothing of where the next post goes.
    if (first) rememberAccounts(localStorage, team.id, draft.accountIds)
    // Of an update there is no way back: taking it back to drafts would cancel what was planned before.
    const undo = draft.when.kind === 'now' || waiting.length > 0 ? undefined : () => undoSchedule(team.id, postId)
    if (taken > failed) toast(summary(result, taken - failed, draft, zone), undo)
    if (refused === 0) leave(postId, draft.when.kind !== 'now' && failed === 0)
    else composer.store.set(d => withoutSent(d, result))
  }

  /** What is seen is scheduled. An unchanged post is not sent again: it may not change while it is published. */
  const save = async (draft: Draft) => {
    const { saver, saved, byHand } = composer
    if (!saver.base || byHand || saver.dirty || !sameContent(draft, saved.current)) saver.change(draft)
    const base = await saver.flush()
    if (!base) throw new Error('There is nothing to save yet.')
    return base
  }

  /** What was planned is stopped before its text changes: what is half written must not go out in between. */
  const keepAsDraft = async (draft: Draft) => {
    const { base: now } = composer.saver
    const stops = now && planned(waiting).length > 0
    if (stops) {
      await moveToDraft(team.id, now.id)
      composer.setWaiting([])
    }
    const base = await save(draft)
    const reopened = await putBack(team.id, base)
    toast(stops ? 'Taken back to drafts; nothing goes out' : reopened ? 'Back in drafts' : 'Saved to drafts')
    navigate({ to: '/posts/$postId', params: { postId: base.id } })
  }

  const publish = async (draft: Draft) => {
    const base = await save(draft)
    if (team.requireApproval && mayApprove) await approveAsSaved(team.id, base)
    const before = await earlier(team.id, base.id)
    const result = await send(base, draft)
    intents.forget()
    const { kept, error } = await cancelAll(team.id, base.id, dropped(draft, waiting))
    await settleFailures(team.id, before, result)
    finish(base.id, draft, result, { first: before.length === 0, kept })
    if (kept.length > 0) toastError('It was not canceled on every account', error)
  }

  /** Tells of an error, and what is true after it. */
  const fail = async (draft: Draft, error: unknown) => {
    const { saver, setWaiting, store } = composer
    const gone = isGone(error) && saver.base !== null
    const elsewhere = isConflict(error) || gone
    if (elsewhere) saver.hold(store.get()) // the person sees what it is now, and decides
    // What was never sent has changed nothing.
    const unknown = intents.open || draft.when.kind === 'draft'
    const read = saver.base ? readScheduledPosts(team.id, saver.base.id) : Promise.resolve([])
    const now = await read.catch(() => (unknown ? null : waiting))
    const waits = now?.filter(live) ?? waiting
    setWaiting(waits)
    setReport(partly(draft, now))
    // What goes out is changed by another press, not by trying again behind this message.
    if (waits.length > 0) saver.forget()
    toastError(
      failureWords(draft.when.kind, waiting, now),
      elsewhere ? new Error(gone ? deletedElsewhere : changedElsewhere) : error,
    )
  }

  const run = async () => {
    if (running.current) return // a second press may come before the button is drawn as busy
    running.current = true
    const draft = composer.store.get()
    setBusy(true)
    setReport(null)
    await composer.whilePressed(async () => {
      try {
        await (draft.when.kind === 'draft' ? keepAsDraft(draft) : publish(draft))
      } catch (e) {
        await fail(draft, e)
      }
    })
    running.current = false
    refreshPosts(team.id)
    setBusy(false)
  }
  return { run, busy, report }
}

/** Saving may have taken an approval back: what counts is the status now, not that of when the composer opened. */
async function approveAsSaved(teamId: string, { id, contentPayloadId }: Saved) {
  const { status } = await readPost(teamId, id)
  if (status !== 'approved') await approve(teamId, id, contentPayloadId)
}

/** Whoever mends a rejected post and saves it asks for another decision: nobody looks for one among the rejected. */
async function putBack(teamId: string, { id, contentPayloadId }: Saved): Promise<boolean> {
  const { status } = await readPost(teamId, id)
  if (status !== 'rejected') return false
  await setStatus(teamId, { id, contentPayloadId }, 'draft')
  return true
}

/** Cancels what is not wanted any more. What is canceled by then, as with an approval that was taken back, is fine. */
async function cancelAll(teamId: string, postId: string, list: ScheduledPost[]) {
  const done = await Promise.allSettled(list.map(s => cancel(teamId, s.id)))
  const failed = list.filter((_, n) => done[n]?.status === 'rejected')
  if (failed.length === 0) return { kept: [] }
  const now = await readScheduledPosts(teamId, postId).catch(() => failed)
  const kept = now.filter(s => s.status !== 'canceled' && failed.some(f => f.id === s.id))
  return { kept, error: done.find(d => d.status === 'rejected')?.reason }
}

/**
 * What was sent before. Read before anything is sent: what is sent now may fail at once, and that is nobody's to
 * dismiss.
 */
const earlier = (teamId: string, postId: string) => readScheduledPosts(teamId, postId).catch(() => [])

/** Failures on accounts that take the post now need nobody any more, and are not to be tried again. */
async function settleFailures(teamId: string, before: ScheduledPost[], result: Result) {
  const accountIds = result.data.flatMap(e => (e.scheduledPost ? [e.socialAccountId] : []))
  // One that cannot be dismissed stays on the list of what needs attention.
  await Promise.allSettled(sentAgain(before, accountIds).map(s => dismiss(teamId, s.id)))
}

function summary(result: Result, count: number, draft: Draft, zone: string): string {
  const posts = count === 1 ? '1 post' : `${count} posts`
  if (draft.when.kind === 'now') return `Publishing ${posts} now`
  if (draft.when.kind === 'planned') return `Scheduled ${posts} as planned`
  const at = result.data.find(e => e.scheduledPost)?.scheduledPost?.scheduledAt
  return `Scheduled ${posts}${at ? ` for ${formatInstant(Date.parse(at), zone, 'short')}` : ''}`
}

async function undoSchedule(teamId: string, postId: string) {
  try {
    await moveToDraft(teamId, postId)
    refreshPosts(teamId)
    toast('Back in drafts')
  } catch (e) {
    toastError('It could not be taken back', e)
  }
}
