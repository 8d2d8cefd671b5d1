import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../session'
import { Button, EmptyState, Page, toastError } from '../../ui'
import { copyName, Keeper, writeCopy } from './localCopy'
import { refreshPosts, saveContent, saveTags } from './requests'

/** What this browser has of a post that is deleted, and nobody else has. */
export function unsavedOf(teamId: string, postId: string): Keeper | null {
  const keeper = new Keeper(localStorage, copyName(teamId, postId))
  return keeper.copy?.unsaved ? keeper : null
}

/** A post that was deleted elsewhere, after something was written into it here: that can become a draft of its own. */
export function Gone({ postId, keeper }: { postId: string; keeper: Keeper }) {
  const { team } = useSession()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    const { copy } = keeper
    if (!copy) return
    setBusy(true)
    try {
      const memory = { tags: [], sent: null }
      const { saved } = await saveContent(team.id, copy.draft, null, memory, () => {})
      await saveTags(team.id, saved.id, copy.draft.tagIds, memory)
      const { id, contentPayloadId: base } = saved
      writeCopy(localStorage, copyName(team.id, id), { draft: copy.draft, base, unsaved: false, at: Date.now() })
      keeper.drop(copyName(team.id, postId), copy.draft)
      refreshPosts(team.id)
      navigate({ to: '/compose/$postId', params: { postId: id }, replace: true })
    } catch (e) {
      toastError('It is kept in this browser and not saved yet', e)
      setBusy(false)
    }
  }
  return (
    <Page title="Edit post">
      <EmptyState
        icon="draft"
        title="This post was deleted"
        action={
          <Button icon="copy" busy={busy} onClick={save}>
            Save it as a new draft
          </Button>
        }
      >
        What you wrote into it and nobody has saved is still in this browser.
      </EmptyState>
    </Page>
  )
}
