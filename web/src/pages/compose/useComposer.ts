// The composer's machinery: the draft, its saving, its copy in the browser and its dry run, for as long as the page is open.
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ScheduledPost, ValidationResult } from '../../api/extra'
import { key, mayPass, queryClient } from '../../api/query'
import { serverNow, useSession } from '../../session'
import { toast } from '../../ui'
import { renameOwner } from '../media/uploads'
import type { Start } from './begin'
import { type Account, type Draft, emptyDraft, fromPost, isBlank, type Post, sameContent } from './draft'
import { DryRun, type DryRunState } from './dryRun'
import { copyName, Keeper, openDraft, removeCopy, writeCopy } from './localCopy'
import { dryRunBody } from './plan'
import { isConflict, isGone, isRefusal, type SaveMemory, saveContent, saveTags, type TryOut, tryOut } from './requests'
import { Saver, type SaveState } from './saver'
import { saveApart } from './sides'
import { DraftStore } from './store'
import { toSave } from './toSave'

export type Composer = ReturnType<typeof useComposer>

export function useComposer(
  post: Post | null,
  opening: ScheduledPost[],
  accounts: Account[],
  start: Start,
  onCreated: (id: string) => void,
) {
  const session = useSession()
  const teamId = session.team.id
  const [opened] = useState(() => {
    const keeper = new Keeper(localStorage, copyName(teamId, post?.id ?? null))
    const { copy } = keeper
    const server = post ? fromPost(post) : null
    const result = openDraft(server, post?.contentPayloadId ?? null, copy, emptyDraft())
    const draft = start.plan(result.draft, copy)
    const settled = keeper.open(draft, result.conflict)
    return { ...result, draft, from: start.from, server, sent: copy?.sent ?? null, keeper, settled }
  })
  const { from, keeper } = opened
  const [store] = useState(() => new DraftStore(opened.draft))
  const [saveState, setSaveState] = useState<SaveState>({ kind: 'idle' })
  const [postId, setPostId] = useState(post?.id ?? null)
  const [waiting, setWaiting] = useWaiting(opening)
  const byHand = waiting.current.length > 0
  const [memory] = useState<SaveMemory>(() => ({
    tags: post?.userTags.map(t => t.id) ?? [],
    sent: opened.sent,
  }))
  /** What the copy in the browser is named after until there is a post. */
  const origin = useRef(post?.id ?? null)
  const alive = useRef(true)
  const saved = useRef<Draft>(opened.server ?? emptyDraft())
  const keepRef = useRef(() => {})
  const created = useRef(onCreated)
  created.current = onCreated

  const saver = useMemo(() => {
    const keep = () => keepRef.current()
    const base = post && { id: post.id, contentPayloadId: opened.base ?? '' }
    const made: Saver<Draft> = new Saver<Draft>(base, {
      save: async (draft, before) => {
        const outcome = await saveContent(teamId, draft, before, memory, keep)
        const { saved: result, behind } = outcome
        if (!behind) saved.current = { ...draft, tagIds: memory.tags }
        if (before) return outcome
        // From here on the copy has the post's name. Somebody who has left the page stays where they are.
        const name = copyName(teamId, origin.current)
        origin.current = result.id
        renameOwner(name, copyName(teamId, result.id))
        removeCopy(localStorage, name)
        const copy = { draft: store.get(), base: result.contentPayloadId, at: Date.now(), from }
        writeCopy(localStorage, copyName(teamId, result.id), {
          ...copy,
          unsaved: !sameContent(copy.draft, saved.current),
        })
        if (alive.current) {
          setPostId(result.id)
          created.current(result.id)
        }
        return outcome
      },
      attach: async (draft, { id }) => {
        const gone = await saveTags(teamId, id, draft.tagIds, memory)
        saved.current = { ...draft, tagIds: memory.tags }
        if (gone.length === 0) return
        store.set(d => ({ ...d, tagIds: d.tagIds.filter(t => !gone.includes(t)) }))
        queryClient.invalidateQueries({ queryKey: key('tags', teamId) })
        toast(gone.length === 1 ? 'A tag was deleted, so it is off this post' : 'Deleted tags are off this post')
      },
      // Of what was deleted elsewhere the person decides as well: the text is here alone.
      isConflict: e => isConflict(e) || (made.base !== null && isGone(e)),
      isRefusal,
      now: () => Date.now(),
      onState: s => {
        startTransition(() => setSaveState(s)) // typing does not wait for it
        if (s.kind === 'saved' || s.kind === 'failed' || s.kind === 'conflict') keep()
      },
    })
    return made
  }, [post, teamId, memory, store, from, opened])

  const keepCopy = useCallback(() => {
    const draft = store.get()
    const name = copyName(teamId, saver.base?.id ?? origin.current)
    if (!saver.base && isBlank(draft) && draft.accountIds.length === 0) return keeper.drop(name, draft)
    const copy = {
      draft,
      base: saver.base?.contentPayloadId ?? null,
      unsaved: !sameContent(draft, saved.current),
      at: Date.now(),
      from,
      sent: memory.sent,
    }
    keeper.keep(name, copy, saver.state.kind === 'conflict')
  }, [store, saver, teamId, memory, from, keeper])
  keepRef.current = keepCopy

  const pressed = useRef(false)
  const autosave = useCallback(() => {
    if (pressed.current || waiting.current.length > 0) return
    const draft = store.get()
    const what = toSave(draft, { saved: saved.current, exists: saver.base !== null, dirty: saver.dirty })
    if (what === 'save' || (what === 'forget' && !saver.forget())) saver.change(draft)
  }, [store, saver, waiting])
  /** What is typed while the button's work is under way waits: it must not get into what is being scheduled. */
  const whilePressed = useCallback(
    async (work: () => Promise<void>) => {
      pressed.current = true
      try {
        await work()
      } finally {
        pressed.current = false
        autosave()
      }
    },
    [autosave],
  )

  useEffect(() => {
    if (opened.conflict)
      saver.hold(store.get()) // the person decides first
    else if (opened.settled) keepCopy()
    alive.current = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const onChange = () => {
      clearTimeout(timer)
      timer = setTimeout(keepCopy, 200)
      autosave()
    }
    const onLeave = () => {
      if (keeper.isNew(store.get())) keepCopy()
      if (saver.dirty && saver.state.kind !== 'conflict') saver.flush().catch(() => {})
    }
    const unsubscribe = store.subscribe(onChange)
    addEventListener('pagehide', onLeave)
    document.addEventListener('visibilitychange', onLeave)
    if (opened.restored && !opened.conflict) onChange()
    return () => {
      unsubscribe()
      clearTimeout(timer)
      removeEventListener('pagehide', onLeave)
      document.removeEventListener('visibilitychange', onLeave)
      alive.current = false
      onLeave()
      saver.stop()
    }
  }, [store, saver, keepCopy, keeper, autosave, opened])

  const dryRun = useDryRun(store, accounts)
  const saveMineApart = () => {
    setWaiting([])
    return saveApart({ store, saver, saved, memory })
  }
  return {
    store,
    saver,
    saveState,
    postId,
    byHand,
    waiting: waiting.current,
    setWaiting,
    whilePressed,
    dryRun,
    saved,
    memory,
    saveApart: saveMineApart,
  }
}

/**
 * What waits to be published. Such a post is saved by the button alone: half a sentence must not go out. What listens
 * to the draft has to know at once, before anything is drawn again.
 */
function useWaiting(opening: ScheduledPost[]) {
  const [list, setList] = useState(opening)
  const latest = useRef(list)
  const setWaiting = useCallback((next: ScheduledPost[]) => {
    latest.current = next
    setList(next)
  }, [])
  return [latest, setWaiting] as const
}

function useDryRun(store: DraftStore, accounts: Account[]): DryRunState<ValidationResult> {
  const session = useSession()
  const [state, setState] = useState<DryRunState<ValidationResult>>({
    result: null,
    last: null,
    error: null,
    checking: false,
  })
  useEffect(() => {
    const teamId = session.team.id
    const run = new DryRun<TryOut, ValidationResult>({
      ask: (body, signal) => tryOut(teamId, body, signal),
      onState: s => startTransition(() => setState(s)),
      mayPass,
    })
    const want = () => {
      const draft = store.get()
      const known = draft.accountIds.some(id => accounts.some(a => a.id === id))
      run.want(known && !isBlank(draft) ? dryRunBody(draft, accounts, session.zone, serverNow(session)) : null)
    }
    want()
    const unsubscribe = store.subscribe(want)
    return () => {
      unsubscribe()
      run.stop()
    }
  }, [store, accounts, session])
  return state
}
