import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { useSession } from '../../session'
import { Badge, Button, ButtonRow, Checkbox, Dialog, networkNames, toast, toastError } from '../../ui'
import { refreshPosts } from '../compose/requests'
import { deletePost } from './data'
import styles from './post.module.css'

const verdicts: Record<string, { word: string; tone: 'good' | 'bad' | 'warn' | 'plain' }> = {
  deleted: { word: 'Deleted there', tone: 'good' },
  already_gone: { word: 'Was gone already', tone: 'plain' },
  not_supported: { word: 'Has to be deleted there', tone: 'warn' },
  failed: { word: 'Not deleted', tone: 'bad' },
  pending: { word: 'Not deleted yet', tone: 'plain' },
}

/** Deletes the post, and on the networks too if that is wanted; tells what each network said. */
export function DeletePost({
  postId,
  scheduledPosts,
  onClose,
}: {
  postId: string
  scheduledPosts: ScheduledPost[]
  onClose: () => void
}) {
  const { team } = useSession()
  const navigate = useNavigate()
  const [everywhere, setEverywhere] = useState(false)
  const [busy, setBusy] = useState(false)
  const [told, setTold] = useState<Schemas['PlatformDelete'][] | null>(null)
  const published = scheduledPosts.filter(s => s.status === 'published').length
  const unknown = scheduledPosts.filter(s => s.status === 'unknown').length
  const waiting = scheduledPosts.filter(s => s.status === 'scheduled').length
  const leave = () => {
    refreshPosts(team.id)
    navigate({ to: '/posts' })
  }
  const run = async () => {
    setBusy(true)
    try {
      const result = await deletePost(team.id, postId, everywhere)
      if (result.platformDeletes?.length) setTold(result.platformDeletes)
      else {
        toast('The post is deleted')
        leave()
      }
    } catch (e) {
      toastError('The post was not deleted', e)
    } finally {
      setBusy(false)
    }
  }
  if (told) {
    return (
      <Dialog
        title="The post is deleted"
        onClose={leave}
        footer={
          <ButtonRow end>
            <Button kind="primary" onClick={leave}>
              Done
            </Button>
          </ButtonRow>
        }
      >
        <ul className={styles.told}>
          {told.map(d => (
            <li key={d.scheduledPostId}>
              <span>
                <strong>{networkNames[d.provider]}</strong> {d.message}
              </span>
              <Badge tone={verdicts[d.verdict]?.tone}>{verdicts[d.verdict]?.word ?? d.verdict}</Badge>
            </li>
          ))}
        </ul>
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Delete this post?"
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button onClick={onClose}>Keep</Button>
          <Button kind="danger" icon="trash" busy={busy} onClick={run}>
            {everywhere ? 'Delete here and there' : 'Delete'}
          </Button>
        </ButtonRow>
      }
    >
      <p>
        {waiting > 0 && `What waits to be published is canceled (${waiting}). `}
        Its record and numbers leave crier. This cannot be taken back.
      </p>
      {published + unknown > 0 && (
        <Checkbox
          label={
            published === 0
              ? 'Delete what turns out to be published on its network too'
              : published === 1
                ? 'Delete the published post on its network too'
                : `Delete the ${published} published posts on their networks too`
          }
          hint={`Networks that cannot do that are named afterwards.${
            unknown > 0 ? ' Where nobody knows whether it was published, it is deleted once you have said so.' : ''
          }`}
          checked={everywhere}
          onChange={e => setEverywhere(e.target.checked)}
        />
      )}
    </Dialog>
  )
}
