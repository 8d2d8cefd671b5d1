import { useEffect, useState } from 'react'
import { onEvent } from '../../api/events'
import { useSession } from '../../session'
import { Button, ButtonRow, Icon, toast, toastError } from '../../ui'
import styles from './compose.module.css'
import type { Post } from './draft'
import { readPost } from './requests'
import { takeTheirs } from './sides'
import type { Composer } from './useComposer'

/** Tells that the draft was changed elsewhere, and lets the person choose. Nothing is overwritten. */
export function Conflict({ composer }: { composer: Composer }) {
  const { postId, saver, saveState } = composer
  const [newer, setNewer] = useState(false)
  const [busy, setBusy] = useState(false)
  const { team } = useSession()
  const conflict = saveState.kind === 'conflict'

  useEffect(() => {
    return onEvent(e => {
      const post = e.data.object as Partial<Post>
      if (e.type !== 'post.updated' || post.id !== postId || !post.contentPayloadId) return
      if (post.contentPayloadId !== saver.base?.contentPayloadId && !saver.dirty) setNewer(true)
    })
  }, [postId, saver])

  if (!conflict && !newer) return null

  const decide = async (what: () => Promise<void>, failed: string) => {
    setBusy(true)
    try {
      await what()
      setNewer(false)
    } catch (e) {
      toastError(failed, e)
    } finally {
      setBusy(false)
    }
  }
  const apart = () => decide(composer.saveApart, 'It is kept in this browser and not saved yet')
  const theirs = () =>
    decide(async () => {
      if (postId) showTheirs(composer, await readPost(team.id, postId))
    }, 'The other version could not be read')
  return (
    <section className={styles.conflict} role="alert">
      <Icon name="attention" />
      <div>
        <strong>This draft was changed in another tab or by another person.</strong>
        <p>
          {conflict
            ? 'What you see is yours; it is kept in this browser and not saved. Nothing of theirs was overwritten.'
            : 'You see the version from before.'}
        </p>
        <ButtonRow>
          {conflict && (
            <Button busy={busy} icon="copy" onClick={apart}>
              Save mine as a new draft
            </Button>
          )}
          <Button busy={busy} icon="eye" onClick={theirs}>
            {conflict ? 'Drop mine and show theirs' : 'Show the newer one'}
          </Button>
        </ButtonRow>
      </div>
    </section>
  )
}

function showTheirs(composer: Composer, theirs: Post) {
  const undo = takeTheirs(composer, theirs)
  if (undo) toast('Showing theirs', undo)
}
