import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { useAccounts } from '../../api/hooks'
import { useCan, useSession } from '../../session'
import {
  Button,
  buttonClass,
  ErrorState,
  Icon,
  LoadingState,
  Menu,
  type MenuItem,
  Page,
  Status,
  Thumbnail,
  toastError,
  useSearchState,
} from '../../ui'
import { moveToDraft, refreshPosts } from '../compose/requests'
import { useAct } from './actions'
import { DeletePost } from './DeletePost'
import { Deliveries } from './Deliveries'
import { type Post, setStatus, usePost, useScheduledPosts } from './data'
import { Numbers } from './Numbers'
import { inOrder } from './order'
import styles from './post.module.css'
import { Versions } from './Versions'

/** What a post is called: its title, else the beginning of its text. */
export function postName(post: Pick<Post, 'title' | 'text'>): string {
  const line = post.title || post.text.split('\n').find(l => l.trim()) || 'Post without text'
  return [...line].length > 80 ? `${[...line].slice(0, 80).join('')}…` : line
}

export default function PostPage() {
  const { postId = '' } = useParams({ strict: false }) as { postId?: string }
  const { team } = useSession()
  const post = usePost(team.id, postId)
  const scheduled = useScheduledPosts(team.id, postId)
  const accounts = useAccounts(team.id)
  const error = post.error ?? scheduled.error ?? accounts.error
  if (!post.data || !scheduled.data || !accounts.data) {
    return (
      <Page title="Post">
        {error ? (
          <ErrorState
            error={error}
            retry={() => Promise.all([post.refetch(), scheduled.refetch(), accounts.refetch()])}
          />
        ) : (
          <LoadingState />
        )}
      </Page>
    )
  }
  const ordered = inOrder(scheduled.data, accounts.data)
  return <PostView post={post.data} scheduled={ordered} accounts={accounts.data} />
}

const tabs = [
  { id: 'accounts', label: 'Accounts' },
  { id: 'versions', label: 'Versions' },
  { id: 'numbers', label: 'Numbers' },
] as const

function PostView({
  post,
  scheduled,
  accounts,
}: {
  post: Post
  scheduled: ScheduledPost[]
  accounts: Schemas['SocialAccount'][]
}) {
  const [search, setSearch] = useSearchState()
  const mayAnalyse = useCan('read_analytics')
  const tab = search.tab ?? 'accounts'
  const first =
    scheduled.find(s => ['failed', 'missed', 'unknown'].includes(s.status) && !s.replacedBy) ??
    (scheduled.length === 1 ? scheduled[0] : undefined)
  const open = search.why === 'none' ? undefined : (search.why ?? first?.id)
  const count = new Set(scheduled.map(s => s.socialAccountId)).size
  const published = new Set(scheduled.filter(s => s.status === 'published').map(s => s.contentPayloadId))
  return (
    <Page title={postName(post)} actions={<PostActions post={post} scheduled={scheduled} />}>
      <Content post={post} />
      <nav className={styles.tabs} aria-label="About this post">
        {tabs
          .filter(t => t.id !== 'numbers' || mayAnalyse)
          .map(t => (
            <button
              key={t.id}
              type="button"
              className={styles.tab}
              aria-current={tab === t.id ? 'page' : undefined}
              onClick={() => setSearch({ tab: t.id === 'accounts' ? undefined : t.id })}
            >
              {t.label}
              {t.id === 'accounts' && count > 0 && ` (${count})`}
            </button>
          ))}
      </nav>
      {tab === 'versions' && <Versions postId={post.id} published={published} />}
      {tab === 'numbers' && mayAnalyse && <Numbers postId={post.id} accounts={accounts} />}
      {tab !== 'versions' && tab !== 'numbers' && (
        <Deliveries
          list={scheduled}
          accounts={accounts}
          post={post}
          open={open}
          onOpen={id => setSearch({ why: id ?? 'none' })}
        />
      )}
    </Page>
  )
}

function PostActions({ post, scheduled }: { post: Post; scheduled: ScheduledPost[] }) {
  const { team } = useSession()
  const mayWrite = useCan('write_posts')
  const mayDelete = useCan('delete_posts')
  const mayApprove = useCan('approve_posts')
  const [deleting, setDeleting] = useState(false)
  const { reopen } = useAct()
  const waiting = scheduled.some(s => s.status === 'scheduled')
  const toDraft = async () => {
    try {
      await moveToDraft(team.id, post.id)
    } catch (e) {
      toastError('It could not be moved to drafts', e)
    }
    refreshPosts(team.id)
  }
  const items: MenuItem[] = []
  if (mayWrite && post.status === 'rejected')
    items.push({ label: 'Back to drafts', icon: 'draft', onSelect: () => reopen(post) })
  if (mayWrite && waiting) items.push({ label: 'Cancel all and keep as a draft', icon: 'draft', onSelect: toDraft })
  if (mayDelete) items.push({ label: 'Delete…', icon: 'trash', danger: true, onSelect: () => setDeleting(true) })
  return (
    <>
      {team.requireApproval && mayApprove && post.status === 'draft' && <Decide post={post} />}
      {mayWrite && (
        <Link to="/compose/$postId" params={{ postId: post.id }} className={buttonClass()}>
          <Icon name="compose" size={18} /> Edit
        </Link>
      )}
      {items.length > 0 && <Menu label="More" trigger={<Icon name="more" />} items={items} />}
      {deleting && <DeletePost postId={post.id} scheduledPosts={scheduled} onClose={() => setDeleting(false)} />}
    </>
  )
}

/** What a person who approves posts decides about one that waits for it. */
function Decide({ post }: { post: Post }) {
  const { team } = useSession()
  const { act, busy } = useAct()
  const decide = (status: 'approved' | 'rejected', done: string) =>
    act(status, () => setStatus(team.id, post, status), done)
  return (
    <>
      <Button busy={busy === 'rejected'} onClick={() => decide('rejected', 'Rejected')}>
        Reject
      </Button>
      <Button
        kind="primary"
        busy={busy === 'approved'}
        onClick={() => decide('approved', 'Approved: it can be scheduled')}
      >
        Approve
      </Button>
    </>
  )
}

function Content({ post }: { post: Post }) {
  const { team } = useSession()
  const input = post.postInput
  const parts = input?.kind === 'thread' ? input.posts : [{ text: post.text, attachments: input?.attachments }]
  return (
    <section aria-label="Content" className={styles.content}>
      <p className={styles.row}>
        {(team.requireApproval || post.deliveryState === 'unscheduled') && <Status state={post.status} />}
        {post.deliveryState !== 'unscheduled' && <Status state={post.deliveryState} />}
        {post.userTags.map(t => (
          <span key={t.id} className={styles.tag}>
            <span className={styles.dot} style={{ background: t.colour }} />
            {t.name}
          </span>
        ))}
      </p>
      {parts.map((p, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their place
        <div key={n} className={styles.partText}>
          <p dir="auto">{p.text || <span className={styles.soft}>No text</span>}</p>
          {p.attachments && p.attachments.length > 0 && (
            <p className={styles.row}>
              {p.attachments.map(a =>
                a.kind === 'media' ? (
                  <Thumbnail
                    key={a.asset.assetId}
                    src={a.asset.thumbnailUrl}
                    alt={a.altText ?? ''}
                    kind={a.asset.mimeType?.startsWith('video/') ? 'video' : 'image'}
                    size={72}
                  />
                ) : (
                  <a key={a.url} href={a.url} target="_blank" rel="noreferrer">
                    {a.url}
                  </a>
                ),
              )}
            </p>
          )}
        </div>
      ))}
    </section>
  )
}
