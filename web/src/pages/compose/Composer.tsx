import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ScheduledPost } from '../../api/extra'
import { useCan, useNow, useSession } from '../../session'
import { Button, Icon, networkNames, Page } from '../../ui'
import { causeOf } from '../attention/cause'
import type { Upload } from '../media/uploads'
import { useClaimedUploads, useOpenUploads } from '../media/useUploads'
import { inWords } from '../welcome/choices'
import { Accounts } from './Accounts'
import { withUpload } from './Attachments'
import type { Start } from './begin'
import { Conflict } from './Conflict'
import styles from './compose.module.css'
import { type Account, type Post, sameContent, setPartsAt } from './draft'
import { FirstComment, NetworkSettings, Repeat, Tags } from './Extras'
import { copyName } from './localCopy'
import { useNetworks } from './networks'
import { Parts } from './Parts'
import { Previews } from './Previews'
import { awaitedUploads, describeAction, isWritten, type Report, verdictOf } from './plan'
import { SaveNote } from './SaveNote'
import { type DraftStore, useDraft } from './store'
import { timeHint } from './timeHint'
import { type Composer as ComposerState, useComposer } from './useComposer'
import { usePublish } from './usePublish'
import { VariantTabs, VariantTools } from './Variants'
import { WhenBar } from './WhenBar'

type Props = {
  post: Post | null
  waiting: ScheduledPost[]
  /** What failed and can be mended here. */
  failures: ScheduledPost[]
  accounts: Account[]
  start: Start
  onCreated: (id: string) => void
}

export function Composer({ post, waiting, failures, accounts, start, onCreated }: Props) {
  const { team } = useSession()
  const composer = useComposer(post, waiting, accounts, start, onCreated)
  const { store } = composer
  const publish = usePublish(composer, accounts)
  const draftName = copyName(team.id, composer.postId)
  useUploadsOf(store, draftName)
  const awaited = awaitedUploads(useOpenUploads(draftName))
  const done = useMemo(() => {
    const taken = post?.scheduledDestinationAccountIds ?? []
    return taken.filter(id => !waiting.some(s => s.socialAccountId === id))
  }, [post, waiting])
  return (
    <Page wide title={post ? 'Edit post' : 'New post'} actions={<SaveNote composer={composer} />}>
      <Conflict composer={composer} />
      <Failures list={failures} accounts={accounts} />
      <div className={styles.layout}>
        <div className={styles.editor}>
          <Accounts store={store} accounts={accounts} done={done} />
          <Writing store={store} accounts={accounts} draftName={draftName} />
        </div>
        <Previews store={store} accounts={accounts} dryRun={composer.dryRun} />
      </div>
      <ActionBar
        composer={composer}
        publish={publish}
        accounts={accounts}
        awaited={awaited}
        approved={post?.status === 'approved'}
      />
    </Page>
  )
}

/** Why the post is open again: what the networks said of it. */
function Failures({ list, accounts }: { list: ScheduledPost[]; accounts: Account[] }) {
  if (list.length === 0) return null
  return (
    <ul className={styles.failures} aria-label="What failed">
      {list.map(s => {
        const account = accounts.find(a => a.id === s.socialAccountId)
        const { sentence, said } = causeOf(s, account)
        return (
          <li key={s.id}>
            <Icon name="attention" size={16} />
            <span>
              {sentence} {said}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** The text in hand, and what goes with it. */
function Writing({ store, accounts, draftName }: { store: DraftStore; accounts: Account[]; draftName: string }) {
  const chosen = useDraft(store, d => d.accountIds)
  const all = useNetworks()
  const networks = useMemo(() => {
    const used = new Set(accounts.filter(a => chosen.includes(a.id)).map(a => a.provider))
    return all.filter(n => used.has(n.name))
  }, [accounts, chosen, all])
  const [wanted, setVariant] = useState<string | null>(null)
  const variant = useDraft(store, d => (d.variants.some(v => v.key === wanted) ? wanted : null))
  const ownMedia = useDraft(store, d => d.variants.find(v => v.key === variant)?.ownMedia ?? true)
  const threaded = useDraft(store, d => d.parts.length > 1)
  const place = useMemo(() => ({ variant }), [variant])
  return (
    <>
      <section aria-label="Content" className={styles.writing}>
        <VariantTabs store={store} accounts={accounts} current={variant} onChange={setVariant} />
        <Parts
          key={variant ?? 'all'}
          store={store}
          place={place}
          draftName={draftName}
          showMedia={variant === null || ownMedia}
          canThread={threaded || networks.some(n => n.abilities.threads)}
        />
        {variant !== null && <VariantTools store={store} variant={variant} />}
      </section>
      <div>
        <NetworkSettings store={store} networks={networks} accounts={accounts} />
        <FirstComment store={store} networks={networks} />
        <Repeat store={store} />
        <Tags store={store} />
      </div>
    </>
  )
}

/** Puts uploads into the part that waits for them; when that part is gone, into the first one. */
function useUploadsOf(store: DraftStore, draftName: string) {
  const claim = useCallback(
    (u: Upload) => {
      const { asset, owner } = u
      if (!asset) return
      store.set(d => {
        const inVariant = d.variants.find(v => v.parts.some(p => p.key === owner?.part))
        const here = inVariant ?? d.parts.some(p => p.key === owner?.part)
        const place = { variant: inVariant?.key ?? null }
        return setPartsAt(d, place, parts =>
          parts.map((p, n) =>
            (here ? p.key === owner?.part : n === 0)
              ? { ...p, attachments: withUpload(p.attachments, asset, owner?.replaces) }
              : p,
          ),
        )
      })
    },
    [store],
  )
  useClaimedUploads(draftName, claim)
}

function useShortcut(run: () => void) {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const onKeyDown = (e: KeyboardEvent) => {
      if (e.key !== 'Enter' || !(e.metaKey || e.ctrlKey) || document.querySelector('dialog[open]')) return
      e.preventDefault()
      latest.current()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Keeps a bar at the lower edge free, whatever height it has: of what the page scrolls to, and of toasts. */
function useRoomFor(bar: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const [own, scrolled] = [bar.current, bar.current?.closest('main')]
    if (!own || !scrolled) return
    const observer = new ResizeObserver(() => {
      scrolled.style.scrollPaddingBottom = `${own.offsetHeight + 8}px`
      document.documentElement.style.setProperty('--bar', `${own.offsetHeight}px`)
    })
    observer.observe(own)
    return () => {
      observer.disconnect()
      scrolled.style.scrollPaddingBottom = ''
      document.documentElement.style.removeProperty('--bar')
    }
  }, [bar])
}

function ActionBar({
  composer,
  publish,
  accounts,
  awaited,
  approved,
}: {
  composer: ComposerState
  publish: { run: () => void; busy: boolean; report: Report | null }
  accounts: Account[]
  /** Why the button has to wait for uploads. */
  awaited: string | null
  /** Whether the post was approved when it was opened. */
  approved: boolean
}) {
  const { team, zone } = useSession()
  const { store, dryRun } = composer
  const mayPublish = useCan('publish_posts')
  const mayApprove = useCan('approve_posts')
  const [opened] = useState(() => store.get())
  const unchanged = useDraft(store, d => sameContent(d, opened))
  const canPublish = mayPublish && (!team.requireApproval || mayApprove || (approved && unchanged))
  const draft = useDraft(store, d => d.when)
  const stays = !canPublish && draft.kind !== 'draft'
  useEffect(() => {
    if (stays) store.set(d => ({ ...d, when: { kind: 'draft' } })) // the only thing that the button can do
  }, [stays, store])
  const chosen = useDraft(store, d => d.accountIds)
  const verdict = verdictOf(dryRun.result)
  const label = awaited ?? describeAction(store.get(), verdict, zone, composer.waiting)
  const asks = draft.kind !== 'draft'
  const stopped = composer.saveState.kind === 'conflict'
  const written = useDraft(store, isWritten)
  const hint = timeHint({ when: draft, accountIds: chosen }, zone, useNow(10_000))
  const nothing = asks && (hint?.stops || chosen.length === 0 || !written || verdict?.ready === 0)
  const disabled = stopped || nothing || awaited !== null || (asks && !canPublish)
  useShortcut(() => !disabled && publish.run())
  const bar = useRef<HTMLDivElement>(null)
  useRoomFor(bar)
  return (
    <div className={styles.bar} ref={bar}>
      {publish.report && !stopped && <Partly report={publish.report} accounts={accounts} />}
      {asks && verdict && !verdict.affordable && (
        <p className={styles.barProblem} role="alert">
          <Icon name="attention" size={16} /> There are not enough credits for this.
        </p>
      )}
      {stopped && (
        <p className={styles.barProblem}>
          <Icon name="attention" size={16} /> It was changed elsewhere: choose above what is to become of it.
        </p>
      )}
      <div className={styles.barRow}>
        <WhenBar store={store} canPublish={canPublish} hint={hint} />
        <Button
          kind="primary"
          icon={asks ? 'send' : 'draft'}
          busy={publish.busy}
          disabled={disabled}
          onClick={publish.run}
          title="⌘↵ or Ctrl+Enter"
          className={styles.go}
        >
          {label}
        </Button>
      </div>
      {!canPublish && (
        <p className={styles.hint}>
          {mayPublish
            ? 'Posts of this team are approved before they are scheduled: save it, and an admin finds it under Posts, To approve.'
            : 'You may write drafts; others publish them.'}
        </p>
      )}
    </div>
  )
}

/** Who has the post and who does not: whoever guesses publishes it twice, or not at all. */
function Partly({ report, accounts }: { report: Report; accounts: Account[] }) {
  const name = (id: string) => {
    const account = accounts.find(a => a.id === id)
    return account ? `${account.displayName} (${networkNames[account.provider]})` : 'An account'
  }
  if (report.lacks.length === 0) return null
  return (
    <div role="alert" className={styles.partly}>
      {report.has.length > 0 && (
        <p>
          <Icon name="check" size={16} />
          <span>
            It is under way or planned on <strong>{inWords(report.has.map(name))}</strong>. It is not on:
          </span>
        </p>
      )}
      <ul className={styles.refusals}>
        {report.lacks.map(r => (
          <li key={r.accountId}>
            <strong>{name(r.accountId)}</strong>
            {r.message && `: ${r.message}`}
          </li>
        ))}
      </ul>
    </div>
  )
}
