// Two people have changed one draft: what becomes of either side.
import { type Draft, emptyDraft, fromPost, type Post } from './draft'
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

/** Shows theirs, with the plan of mine. */
export function takeTheirs({ store, saver, saved, memory }: Sides, theirs: Post) {
  const { accountIds, settings, accountSettings, when } = store.get()
  saved.current = fromPost(theirs)
  memory.tags = saved.current.tagIds
  saver.resolve({ id: theirs.id, contentPayloadId: theirs.contentPayloadId })
  store.replace({ ...saved.current, accountIds, settings, accountSettings, when })
}
