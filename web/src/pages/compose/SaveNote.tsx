import { explain } from '../../api/error'
import { useSession } from '../../session'
import { formatInstant, Icon } from '../../ui'
import styles from './compose.module.css'
import type { SaveState } from './saver'

function words(state: SaveState, zone: string, byHand: boolean): string {
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
export function SaveNote({ state, byHand }: { state: SaveState; byHand: boolean }) {
  const { zone } = useSession()
  const bad = state.kind === 'failed' || state.kind === 'conflict'
  return (
    <span className={bad ? styles.saveBad : styles.saveNote} role="status">
      {state.kind === 'saved' && <Icon name="check" size={16} />}
      {bad && <Icon name="attention" size={16} />}
      {words(state, zone, byHand)}
    </span>
  )
}
