import { memo } from 'react'
import { formatDuration, Icon, mediaKinds, NetworkGlyph, networkNames, states, Thumbnail } from '../../ui'
import { clock } from '../../zone'
import styles from './Card.module.css'
import type { Card as CardData } from './model'

/** How many signs of networks have room, in a wide card and in narrower ones; Card.module.css hides the others. */
const signsShown = { card: [4, 2, 1], line: [3, 1] }

/** A card in one sentence, for those who hear it. */
function describe(card: CardData): string {
  const networks = card.providers.map(p => networkNames[p]).join(', ')
  const state = states[card.status]?.word ?? card.status
  const media = card.media ? `, ${mediaKinds[card.media].word.toLowerCase()}` : ''
  const part = card.inStatus < card.entries.length ? ` (${card.inStatus} of ${card.entries.length})` : ''
  return `${clock(card.wall.minutes)}, ${card.title || 'post without text'}${media}, ${networks}, ${state}${part}`
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
  const rooms = line ? signsShown.line : signsShown.card
  const shown = card.providers.slice(0, rooms[0])
  const count = card.entries.length
  const late = card.lateMillis === null ? null : lateness(card.lateMillis, line)
  const glyphs = (
    <span className={styles.glyphs}>
      {shown.map(p => (
        <NetworkGlyph key={p} provider={p} size={line ? 12 : 14} />
      ))}
      {rooms.map(room => {
        const more = count - Math.min(room, shown.length)
        return (
          more > 0 && (
            <span key={room} className={styles.more} data-room={room}>
              +{more}
            </span>
          )
        )
      })}
    </span>
  )
  const pictured = !line && card.thumbnailUrl !== null
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
      className={`${styles.card} ${line ? styles.line : ''} ${tall ? styles.tall : ''} ${pictured ? styles.pictured : ''}`}
      aria-label={describe(card)}
      aria-roledescription={mayMove && card.movable ? 'post, press space to move it' : undefined}
    >
      {pictured && (
        <span className={styles.picture}>
          <Thumbnail src={card.thumbnailUrl} kind={card.media ?? 'image'} size={32} />
        </span>
      )}
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
          {card.media && (
            <span className={styles.media}>
              <Icon name={mediaKinds[card.media].icon} size={12} />
            </span>
          )}
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
