import { memo } from 'react'
import { formatDuration, Icon, NetworkGlyph, networkNames, states, Thumbnail } from '../../ui'
import { clock } from '../../zone'
import styles from './Card.module.css'
import type { Card as CardData } from './model'

const shownGlyphs = 4

/** A card in one sentence, for those who hear it. */
function describe(card: CardData): string {
  const networks = card.providers.map(p => networkNames[p]).join(', ')
  const state = states[card.status]?.word ?? card.status
  const part = card.inStatus < card.entries.length ? ` (${card.inStatus} of ${card.entries.length})` : ''
  return `${clock(card.wall.minutes)}, ${card.title || 'post without text'}, ${networks}, ${state}${part}`
}

/** A post in the calendar: when, what, where to, and how it went. line: small, for a month; tall: with a second line. */
export const Card = memo(function Card({
  card,
  line,
  tall,
  held,
  mayMove,
}: {
  card: CardData
  line?: boolean
  tall?: boolean
  held?: boolean
  mayMove: boolean
}) {
  const state = states[card.status]
  // One sign a network: sixty accounts of one are not sixty signs.
  // A line has room for few of them beside the text.
  const room = line && card.entries.length > 3 ? 2 : shownGlyphs
  const shown = card.providers.slice(0, room)
  const more = card.entries.length - shown.length
  const late = card.lateMillis === null ? null : lateness(card.lateMillis, line)
  const glyphs = (
    <span className={styles.glyphs}>
      {shown.map(p => (
        <NetworkGlyph key={p} provider={p} size={line ? 12 : 14} />
      ))}
      {more > 0 && <span className={styles.more}>+{more}</span>}
    </span>
  )
  return (
    <a
      href={`/app/posts/${card.postId}`}
      draggable={false}
      data-post={card.postId}
      data-id={card.id}
      data-card={mayMove && card.movable ? card.id : undefined}
      data-tone={card.settled ? undefined : state?.tone}
      data-kind={card.status === 'recurrence' ? 'recurrence' : undefined}
      data-held={held ? '' : undefined}
      className={`${styles.card} ${line ? styles.line : ''} ${tall ? styles.tall : ''}`}
      aria-label={describe(card)}
      aria-roledescription={mayMove && card.movable ? 'post, press space to move it' : undefined}
    >
      {!line && card.thumbnailUrl && <Thumbnail src={card.thumbnailUrl} size={32} />}
      <span className={styles.body}>
        <span className={styles.head}>
          <span className={styles.when}>{clock(card.wall.minutes)}</span>
          {card.status !== 'scheduled' && state && (
            <span className={styles.state} title={state.word}>
              <Icon name={state.icon} size={14} />
              {!line && state.tone !== 'good' && <span className={styles.word}>{state.word}</span>}
            </span>
          )}
          {!line && glyphs}
          {late !== null && <span className={styles.late}>{late}</span>}
        </span>
        <span className={styles.title} dir="auto">
          {card.title || 'No text'}
        </span>
        {line && glyphs}
      </span>
    </a>
  )
})

/** How late it went out; a month has room for what is worth a look only. */
function lateness(ms: number, line: boolean | undefined): string | null {
  if (ms >= (line ? 60_000 : 1000)) return `+${formatDuration(ms)}`
  return line ? null : 'on time'
}
