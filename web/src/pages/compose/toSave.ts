// What the saver is told when the draft has changed.
import { type Draft, isBlank, sameContent } from './draft'

type Where = {
  /** What the server has, as far as is known. */
  saved: Draft
  /** Whether there is a post to save to. */
  exists: boolean
  /** Whether other content waits to be saved, or is on its way. */
  dirty: boolean
}

/**
 * A draft that is as it was is nothing to save, unless something else was about to be: then what was taken back would
 * follow. A new post that is blank again does not become one.
 */
export function toSave(draft: Draft, { saved, exists, dirty }: Where): 'nothing' | 'save' | 'forget' {
  if (!exists && isBlank(draft)) return dirty ? 'forget' : 'nothing'
  return dirty || !sameContent(draft, saved) ? 'save' : 'nothing'
}
