import { useState } from 'react'
import { Icon, type IconName } from './Icon'
import styles from './Thumbnail.module.css'

/** What a picture stands for, where it is not just itself. */
export type MediaKind = 'image' | 'video' | 'gif' | 'document' | 'several'

/** How kinds of media are drawn and called. */
export const mediaKinds: Record<MediaKind, { icon: IconName; word: string }> = {
  image: { icon: 'image', word: 'Picture' },
  video: { icon: 'video', word: 'Video' },
  gif: { icon: 'video', word: 'GIF' },
  document: { icon: 'draft', word: 'Document' },
  several: { icon: 'several', word: 'Several pictures' },
}

/** A small picture of media. alt is what the picture shows; empty where the words beside it say so already. */
export function Thumbnail({
  src,
  alt = '',
  kind = 'image',
  size = 48,
  fill,
}: {
  src?: string | null
  alt?: string
  kind?: MediaKind
  size?: number
  /** Takes the width that there is, as a square. */
  fill?: boolean
}) {
  const [broken, setBroken] = useState<string | null>(null)
  const { icon, word } = mediaKinds[kind]
  return (
    <span
      className={`${styles.thumbnail} ${fill ? styles.fill : ''}`}
      style={fill ? undefined : { width: size, height: size }}
    >
      {src && broken !== src ? (
        <img src={src} alt={alt} loading="lazy" decoding="async" onError={() => setBroken(src)} />
      ) : (
        <Icon name={icon} label={alt || undefined} />
      )}
      {kind !== 'image' && (
        <span className={styles.kind}>{kind === 'gif' ? 'GIF' : <Icon name={icon} size={14} label={word} />}</span>
      )}
    </span>
  )
}
