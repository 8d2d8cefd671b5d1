// Two people have changed one draft: what becomes of either side.
import { type Draft, emptyDraft, fromPost, type Post, sameContent } from './draft'
import type { SaveMemory } from './requests'
import type { Saver } from './saver'
import type { DraftStore } from './store'

type Sides = {
  store: DraftStore
  saver: Saver<Draft>
  /** The content that the server has, as far as is known. */
  saved: { current: Draft }
  memory: SaveMemory
}

/**
 * Saves mine as a post of its own. Nothing of it is planned: theirs still waits for its time on the same accounts, and
 * both would go out.
 */
export async function saveApart({ store, saver, saved, memory }: Sides) {
  saved.current = emptyDraft()
  memory.tags = []
  saver.resolve(null)
  store.set(d => ({ ...d, when: { kind: 'draft' } }))
  saver.change(store.get())
  await saver.flush()
}

/**
 * Puts what is stored in the place of what was typed; the plan stays as it is chosen. Returns the way back to what was
 * typed.
 */
export function giveBack(sides: Sides, stored: Post): () => void {
  const { store, saver, saved, memory } = sides
  const mine = store.get()
  // What others have stored meanwhile is another version: what was typed does not stand on it.
  if (saver.base?.contentPayloadId !== stored.contentPayloadId) return takeTheirs(sides, stored) ?? (() => {})
  const { accountIds, settings, accountSettings, when } = mine
  saved.current = fromPost(stored)
  memory.tags = saved.current.tagIds
  store.replace({ ...saved.current, accountIds, settings, accountSettings, when })
  return () => store.replace(mine)
}

/**
 * Shows theirs, with the plan of mine. Returns the way back to what was typed and not saved; null when there was
 * nothing. Mine then stands on its own version again, held back, so that it does not overwrite theirs.
 */
export function takeTheirs({ store, saver, saved, memory }: Sides, theirs: Post): (() => void) | null {
  const [mine, base, before] = [store.get(), saver.base, saved.current]
  const lost = saver.dirty || !sameContent(mine, before)
  const { accountIds, settings, accountSettings, when } = mine
  saved.current = fromPost(theirs)
  memory.tags = saved.current.tagIds
  saver.resolve({ id: theirs.id, contentPayloadId: theirs.contentPayloadId })
  store.replace({ ...saved.current, accountIds, settings, accountSettings, when })
  if (!lost) return null
  return () => {
    saved.current = before
    saver.resolve(base)
    saver.hold(mine)
    store.replace(mine)
  }
}
