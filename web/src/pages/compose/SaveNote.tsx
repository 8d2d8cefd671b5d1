import { explain } from '../../api/error'
import { useSession } from '../../session'
import { Button, formatInstant, Icon, showDialog } from '../../ui'
import styles from './compose.module.css'
import { Discard } from './Discard'
import { sameContent } from './draft'
import type { SaveState } from './saver'
import { useDraft } from './store'
import type { Composer } from './useComposer'

/** Nothing is on its way or in trouble. What was saved then is not what a scheduled post has been changed to since. */
const settled = (state: SaveState) => state.kind === 'idle' || state.kind === 'saved'

function words(state: SaveState, zone: string, byHand: boolean, changed: boolean): string {
  if (changed && settled(state)) return 'Your changes are not in the scheduled post yet'
  if (byHand && state.kind === 'idle') return 'Nothing changes before you press the button'
  switch (state.kind) {
    case 'idle':
      return ''
    case 'waiting':
      return 'Not saved yet'
    case 'saving':
      return 'Saving…'
    case 'saved':
      return `Saved ${formatInstant(state.at, zone, 'second').slice(0, 8)}`
    case 'failed':
      return `Kept in this browser; not saved: ${explain(state.error)}`
    case 'conflict':
      return 'Not saved: changed elsewhere'
  }
}

/** Whether what is written is safe, and since when. */
export function SaveNote({ composer }: { composer: Composer }) {
  const { zone } = useSession()
  const { store, saved, byHand, saveState: state } = composer
  // A post that waits is not saved by itself: what was typed may be from days ago.
  const changed = useDraft(store, d => byHand && !sameContent(d, saved.current))
  const bad = state.kind === 'failed' || state.kind === 'conflict'
  return (
    <span className={bad ? styles.saveBad : styles.saveNote} role="status">
      {state.kind === 'saved' && !changed && <Icon name="check" size={16} />}
      {bad && <Icon name="attention" size={16} />}
      {words(state, zone, byHand, changed)}
      {changed && settled(state) && (
        <Button
          size="small"
          kind="quiet"
          onClick={() => showDialog(close => <Discard composer={composer} onClose={close} />)}
        >
          Discard
        </Button>
      )}
    </span>
  )
}
