import { useState } from 'react'
import { api, ask } from '../../api/client'
import { explain } from '../../api/error'
import { useTags } from '../../api/hooks'
import { useCan, useSession } from '../../session'
import { askFirst, Button, ButtonRow, Checkbox, Dialog, EmptyState, Field, showDialog, toast } from '../../ui'
import { hasWords, many } from '../../ui/many'
import { moveAll } from '../calendar/data'
import { moveToDraft, refreshPosts } from '../compose/requests'
import { deletePost } from '../post/data'
import { inTurn, shiftDays } from './bulk'
import type { Post } from './data'
import styles from './posts.module.css'

/** Does something with posts one after the other, and says how it went. */
async function each(teamId: string, of: Post[], work: (p: Post) => Promise<unknown>, done: string) {
  const { succeeded, failures } = await inTurn(of, work)
  const [first] = failures
  toast(first ? `${succeeded} ${done}, ${failures.length} not: ${explain(first.error)}` : `${succeeded} ${done}`)
  refreshPosts(teamId)
}

/** What can be done with the chosen posts. */
export function BulkBar({ posts, onDone }: { posts: Post[]; onDone: () => void }) {
  const { team } = useSession()
  const mayWrite = useCan('write_posts')
  const mayDelete = useCan('delete_posts')
  const n = posts.length === 1 ? '1 post' : `${posts.length} posts`
  const remove = async () => {
    await each(team.id, posts, p => deletePost(team.id, p.id, false), 'deleted')
    onDone()
  }
  const askToRemove = () =>
    askFirst({
      title: `Delete ${n}?`,
      text: 'What waits to be published is canceled. What is published stays on the networks. This cannot be taken back.',
      action: `Delete ${n}`,
      run: remove,
    })
  const open = (Asking: typeof TagDialog) => () =>
    showDialog(close => <Asking posts={posts} count={n} onDone={onDone} onClose={close} />)
  return (
    <div className={styles.bulk} role="toolbar" aria-label="Chosen posts">
      <strong>{n} chosen</strong>
      {mayWrite && (
        <>
          <Button size="small" icon="tag" onClick={open(TagDialog)}>
            Tag
          </Button>
          <Button size="small" icon="calendar" onClick={open(MoveDialog)}>
            Move
          </Button>
        </>
      )}
      {mayDelete && (
        <Button size="small" kind="danger" icon="trash" onClick={askToRemove}>
          Delete
        </Button>
      )}
      <Button size="small" kind="quiet" onClick={onDone}>
        Clear
      </Button>
    </div>
  )
}

function setTags(teamId: string, postId: string, tagIds: string[]) {
  return ask(
    api.PUT('/v1/teams/{teamId}/posts/{postId}/tags', { params: { path: { teamId, postId } }, body: { tagIds } }),
  )
}

type BulkDialog = {
  /** The posts that were chosen when it was opened: they stay the same until it is closed. */
  posts: Post[]
  count: string
  onDone: () => void
  onClose: () => void
}

/** Runs the deed of a dialog and closes it: const [busy, run] = useDeed(dialog). */
function useDeed({ onDone, onClose }: BulkDialog): [boolean, typeof run] {
  const { team } = useSession()
  const [busy, setBusy] = useState(false)
  const run = async (of: Post[], work: (p: Post) => Promise<unknown>, done: string) => {
    setBusy(true)
    await each(team.id, of, work, done)
    onClose()
    onDone()
  }
  return [busy, run]
}

function TagDialog(dialog: BulkDialog) {
  const { posts, count, onClose } = dialog
  const { team } = useSession()
  const tags = useTags(team.id)
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, run] = useDeed(dialog)
  const [search, setSearch] = useState('')
  const long = (tags.data?.length ?? 0) > many
  const shown = (tags.data ?? []).filter(t => chosen.includes(t.id) || hasWords(t.name, search.trim()))
  const add = () =>
    run(posts, p => setTags(team.id, p.id, [...new Set([...p.userTags.map(t => t.id), ...chosen])]), 'tagged')
  return (
    <Dialog
      title={`Tag ${count}`}
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} disabled={chosen.length === 0} onClick={add}>
            Add tags
          </Button>
        </ButtonRow>
      }
    >
      {tags.data?.length === 0 && (
        <EmptyState icon="tag" title="No tags yet">
          Make one while writing a post.
        </EmptyState>
      )}
      {long && <Field label="Find a tag" type="search" value={search} onChange={e => setSearch(e.target.value)} />}
      {shown.map(t => (
        <Checkbox
          key={t.id}
          label={t.name}
          checked={chosen.includes(t.id)}
          onChange={e => setChosen(e.target.checked ? [...chosen, t.id] : chosen.filter(id => id !== t.id))}
        />
      ))}
    </Dialog>
  )
}

function MoveDialog(dialog: BulkDialog) {
  const { posts, onClose } = dialog
  const { team, zone } = useSession()
  const [busy, run] = useDeed(dialog)
  const [where, setWhere] = useState<'days' | 'drafts' | 'archive'>('days')
  const [days, setDays] = useState(1)
  const waiting = posts.filter(p => p.scheduledPosts?.some(s => s.status === 'scheduled'))
  const go = () => {
    if (where === 'drafts') run(posts, p => moveToDraft(team.id, p.id), 'moved to drafts')
    else if (where === 'archive') run(posts, p => archive(team.id, p.id), 'archived')
    else run(waiting, p => shift(team.id, p, days, zone), 'moved')
  }
  const choice = (value: typeof where, label: string) => (
    <label className={styles.choice}>
      <input type="radio" name="where" checked={where === value} onChange={() => setWhere(value)} /> {label}
    </label>
  )
  return (
    <Dialog
      title="Move"
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={where === 'days' && (waiting.length === 0 || !days)}
            onClick={go}
          >
            {where === 'days' ? `Move ${waiting.length} waiting` : 'Move'}
          </Button>
        </ButtonRow>
      }
    >
      {choice('days', 'In time, keeping the time of day')}
      {where === 'days' && (
        <Field
          label="Days"
          hint="A negative number moves them earlier. Only posts that wait are moved."
          type="number"
          value={Number.isNaN(days) ? '' : days}
          onChange={e => setDays(e.target.valueAsNumber)}
        />
      )}
      {choice('drafts', 'To drafts: what waits is canceled')}
      {choice('archive', 'To the archive')}
    </Dialog>
  )
}

/** A post is moved on all of its accounts, or on none. */
function shift(teamId: string, post: Post, days: number, zone: string) {
  const waiting = post.scheduledPosts?.filter(s => s.status === 'scheduled') ?? []
  const changes = waiting.map(s => ({
    scheduledPostId: s.id,
    from: s.scheduledAt,
    to: new Date(shiftDays(Date.parse(s.scheduledAt), days, zone)).toISOString(),
  }))
  return moveAll(teamId, changes)
}

const archive = (teamId: string, postId: string) =>
  ask(
    api.POST('/v1/teams/{teamId}/posts/{postId}/status', {
      params: { path: { teamId, postId } },
      body: { status: 'archived' },
    }),
  )
