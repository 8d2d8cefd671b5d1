import { useState } from 'react'
import { Icon, type IconName } from './Icon'
import styles from './Thumbnail.module.css'

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
  kind?: 'image' | 'video'
  size?: number
  /** Takes the width that there is, as a square. */
  fill?: boolean
}) {
  const [broken, setBroken] = useState<string | null>(null)
  const icon: IconName = kind === 'video' ? 'video' : 'image'
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
      {kind === 'video' && src && (
        <span className={styles.video}>
          <Icon name="video" size={14} label="Video" />
        </span>
      )}
    </span>
  )
}
