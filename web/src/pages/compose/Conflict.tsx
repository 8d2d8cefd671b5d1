import { useEffect, useState } from 'react'
import { onEvent } from '../../api/events'
import { useSession } from '../../session'
import { Button, ButtonRow, Icon, toast, toastError } from '../../ui'
import { Changes } from './Changes'
import styles from './compose.module.css'
import { fromPost, type Post, sameContent } from './draft'
import { isGone, readPost } from './requests'
import { takeTheirs } from './sides'
import { useDraft } from './store'
import type { Composer } from './useComposer'

/**
 * Tells that the draft was changed elsewhere and what of it, and lets the person choose. Nothing is overwritten, and
 * nothing is published before.
 */
export function Conflict({ composer }: { composer: Composer }) {
  const { postId, saved, saveState, store, waiting } = composer
  const [busy, setBusy] = useState(false)
  const { team } = useSession()
  const conflict = saveState.kind === 'conflict'
  const theirs = useTheirs(composer, conflict)
  const gone = theirs === 'gone'
  const mine = useDraft(store, d => d)
  if (!conflict) return null

  const decide = async (what: () => Promise<void>, failed: string) => {
    setBusy(true)
    try {
      await what()
    } catch (e) {
      toastError(failed, e)
    } finally {
      setBusy(false)
    }
  }
  const apart = () => decide(composer.saveApart, 'It is kept in this browser and not saved yet')
  const takeOver = () =>
    decide(async () => {
      if (postId) showTheirs(composer, await readPost(team.id, postId))
    }, 'The other version could not be read')
  const unchanged = sameContent(mine, saved.current)
  return (
    <section className={styles.conflict} role="alert">
      <Icon name="attention" />
      <div>
        <strong>This draft was {gone ? 'deleted' : 'changed'} in another tab or by another person.</strong>
        <p>
          {gone
            ? 'What you see is kept in this browser alone.'
            : unchanged
              ? `You see the version from before. ${waiting.length > 0 ? 'What is scheduled goes out with theirs.' : 'Nothing is published until you have chosen.'}`
              : 'What you see is yours; it is kept in this browser and not saved. Nothing of theirs was overwritten.'}
        </p>
        {theirs && !gone && (
          <>
            <p>What is different in theirs:</p>
            <Changes from={mine} to={fromPost(theirs)} />
          </>
        )}
        <ButtonRow>
          <Button busy={busy} icon="copy" onClick={apart}>
            Save mine as a new draft
          </Button>
          {!gone && (
            <Button busy={busy} icon="eye" onClick={takeOver}>
              {unchanged ? 'Show theirs' : 'Drop mine and show theirs'}
            </Button>
          )}
        </ButtonRow>
      </div>
    </section>
  )
}

/** The post as others have it, once it is another one or gone; the draft that is open is held back from then on. */
function useTheirs({ postId, saver, store }: Composer, conflict: boolean): Post | 'gone' | null {
  const { team } = useSession()
  const [theirs, setTheirs] = useState<Post | 'gone' | null>(null)
  useEffect(() => {
    if (!postId) return
    let alive = true
    const look = async () => {
      // When it cannot be read, the server still refuses what stands on an old version.
      const post = await readPost(team.id, postId).catch(e => (isGone(e) ? 'gone' : null))
      if (!alive || !post) return
      const other = post === 'gone' || post.contentPayloadId !== saver.base?.contentPayloadId
      if (saver.state.kind === 'conflict') setTheirs(post)
      else if (!saver.dirty && other) saver.hold(store.get())
    }
    const stop = onEvent(e => {
      const post = e.data.object as Partial<Post>
      if (post.id !== postId) return
      const updated = e.type === 'post.updated' && post.contentPayloadId !== saver.base?.contentPayloadId
      if (updated || e.type === 'post.deleted') look()
    })
    if (conflict) look()
    return () => {
      alive = false
      stop()
    }
  }, [team.id, postId, saver, store, conflict])
  return conflict ? theirs : null
}

function showTheirs(composer: Composer, theirs: Post) {
  const undo = takeTheirs(composer, theirs)
  if (undo) toast('Showing theirs', undo)
}
