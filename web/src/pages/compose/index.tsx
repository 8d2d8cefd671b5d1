import { useNavigate, useParams } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { newId } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { useAccounts } from '../../api/hooks'
import { useCan, useSession } from '../../session'
import { EmptyState, ErrorState, LoadingState, Page, useSearchState } from '../../ui'
import { mayTryAgain } from '../attention/cause'
import { readScheduledPosts } from '../post/data'
import { startOf } from './begin'
import { Composer } from './Composer'
import type { Account, Post } from './draft'
import { Gone, unsavedOf } from './Gone'
import { sweepCopies } from './localCopy'
import { isGone, readPost } from './requests'

/** Writes a post: a new one, or the one that the address names. */
export default function ComposePage() {
  const { postId } = useParams({ strict: false }) as { postId?: string }
  const { team } = useSession()
  const mayWrite = useCan('write_posts')
  const accounts = useAccounts(team.id)
  const [session, created] = useEditing(team.id, postId)
  const existing = useOpened(team.id, session === postId ? postId : undefined)
  useEffect(() => sweepCopies(localStorage, Date.now()), [])

  const title = postId ? 'Edit post' : 'New post'
  if (!mayWrite) {
    return (
      <Page title={title}>
        <EmptyState icon="lock" title="Writing is not among your permissions">
          Ask an admin of the organization for the role of an editor.
        </EmptyState>
      </Page>
    )
  }
  const unsaved = postId && isGone(existing.error) && unsavedOf(team.id, postId)
  if (unsaved) return <Gone postId={postId} keeper={unsaved} />
  const ready = accounts.data && (session !== postId || existing.opened)
  if (!accounts.data || !ready) {
    const error = accounts.error ?? existing.error
    return (
      <Page title={title}>
        {error ? (
          <ErrorState error={error} retry={() => (accounts.error ? accounts.refetch() : existing.retry())} />
        ) : (
          <LoadingState />
        )}
      </Page>
    )
  }
  const opened = session === postId ? existing.opened : null
  return (
    <Begun
      key={session}
      post={opened?.post ?? null}
      waiting={opened?.waiting ?? nothing}
      failures={opened?.failures ?? nothing}
      accounts={accounts.data}
      onCreated={created}
    />
  )
}

type Existing = { post: Post; waiting: ScheduledPost[]; failures: ScheduledPost[] }

const nothing: ScheduledPost[] = []

/**
 * A post as it is when the composer opens. The composer holds its own copy from there on and learns of changes by version,
 * so this is read once and not again when the lists are.
 */
function useOpened(teamId: string, postId: string | undefined) {
  const [state, setState] = useState<{ postId?: string; opened?: Existing; error?: unknown; tries: number }>({
    tries: 0,
  })
  const { tries } = state
  // biome-ignore lint/correctness/useExhaustiveDependencies: tries asks again
  useEffect(() => {
    if (!postId) return
    const stop = new AbortController()
    setState(s => ({ tries: s.tries }))
    openPost(teamId, postId, stop.signal).then(
      opened => !stop.signal.aborted && setState(s => ({ ...s, postId, opened })),
      error => !stop.signal.aborted && setState(s => ({ ...s, postId, error })),
    )
    return () => stop.abort()
  }, [teamId, postId, tries])
  const retry = () => setState(s => ({ tries: s.tries + 1 }))
  return state.postId === postId ? { ...state, retry } : { opened: undefined, error: undefined, retry }
}

async function openPost(teamId: string, postId: string, signal: AbortSignal): Promise<Existing> {
  const post = await readPost(teamId, postId, signal)
  const sent = post.saveDestination === 'queue' || post.deliveryState !== 'unscheduled'
  const planned = sent ? await readScheduledPosts(teamId, postId, signal) : []
  return {
    post,
    waiting: planned.filter(s => s.status === 'scheduled' || s.status === 'publishing'),
    failures: planned.filter(s => s.needsAttention && mayTryAgain(s)),
  }
}

/** A name for what is being edited. A new post keeps its name when it gets an address, so that nothing is drawn anew. */
function useEditing(teamId: string, postId: string | undefined): [string, (id: string) => void] {
  const navigate = useNavigate()
  const [fresh, setFresh] = useState({ name: newId(), teamId, postId: undefined as string | undefined, arrived: false })
  if (fresh.teamId !== teamId || (postId === undefined && fresh.arrived)) {
    setFresh({ name: newId(), teamId, postId: undefined, arrived: false })
  } else if (postId !== undefined && postId === fresh.postId && !fresh.arrived) {
    setFresh({ ...fresh, arrived: true })
  }
  const created = useCallback(
    (id: string) => {
      // A draft that becomes another one, as after a conflict, is opened like any other.
      if (postId === undefined) setFresh(f => ({ ...f, postId: id }))
      navigate({ to: '/compose/$postId', params: { postId: id }, search: true, replace: true })
    },
    [navigate, postId],
  )
  return [postId === undefined || postId === fresh.postId ? fresh.name : postId, created]
}

/** The address may name a time (?at=) and accounts (?accounts=) to begin with, as the calendar does. */
function Begun({
  post,
  waiting,
  failures,
  accounts,
  onCreated,
}: {
  post: Post | null
  waiting: ScheduledPost[]
  failures: ScheduledPost[]
  accounts: Account[]
  onCreated: (id: string) => void
}) {
  const { zone } = useSession()
  const [search] = useSearchState()
  const { at, accounts: wanted } = search
  const start = useMemo(
    () => startOf({ asked: { at, accounts: wanted }, post, waiting, accounts, zone }),
    [at, wanted, post, waiting, accounts, zone],
  )
  return (
    <Composer
      post={post}
      waiting={waiting}
      failures={failures}
      accounts={accounts}
      start={start}
      onCreated={onCreated}
    />
  )
}
