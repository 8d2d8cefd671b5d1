import { useEffect, useState } from 'react'
import { onEvent } from '../../api/events'
import { useSession } from '../../session'
import { Button, ButtonRow, Icon, toast, toastError } from '../../ui'
import styles from './compose.module.css'
import { type Draft, emptyDraft, fromPost, type Post } from './draft'
import { readPost } from './requests'
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

  const showTheirs = async () => {
    if (!postId) return
    setBusy(true)
    try {
      takeTheirs(composer, await readPost(team.id, postId))
      setNewer(false)
    } catch (e) {
      toastError('The other version could not be read', e)
    } finally {
      setBusy(false)
    }
  }
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
            <Button busy={busy} icon="copy" onClick={() => saveApart(composer)}>
              Save mine as a new draft
            </Button>
          )}
          <Button busy={busy} icon="eye" onClick={showTheirs}>
            {conflict ? 'Drop mine and show theirs' : 'Show the newer one'}
          </Button>
        </ButtonRow>
      </div>
    </section>
  )
}

function saveApart({ store, saver, saved }: Composer) {
  saved.current = emptyDraft()
  saver.resolve(null)
  store.set(d => ({ ...d }))
}

function takeTheirs({ store, saver, saved }: Composer, theirs: Post) {
  const mine = store.get()
  const conflict = saver.state.kind === 'conflict'
  const { base } = saver
  const { accountIds, settings, accountSettings, when } = mine
  saved.current = fromPost(theirs)
  saver.resolve({ id: theirs.id, contentPayloadId: theirs.contentPayloadId })
  const draft: Draft = { ...saved.current, accountIds, settings, accountSettings, when }
  store.replace(draft)
  if (!conflict) return
  toast('Showing theirs', () => {
    saver.hold(mine, base)
    store.replace(mine)
  })
}
