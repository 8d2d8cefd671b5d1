import { useState } from 'react'
import styles from './Avatar.module.css'
import { NetworkGlyph, networkNames, type Provider } from './NetworkGlyph'

/** A handle as people write it: with one @, whether or not its network has it in the name. */
export const atHandle = (handle: string) => `@${handle.replace(/^@/, '')}`

/** The picture of an account with the sign of its network, or its initial when there is none. */
export function Avatar({
  name,
  src,
  provider,
  size = 32,
}: {
  name: string
  src?: string | null
  provider?: Provider
  size?: number
}) {
  const [broken, setBroken] = useState<string | null>(null)
  return (
    <span className={styles.avatar} style={{ width: size, height: size, fontSize: size * 0.42 }}>
      {src && broken !== src ? (
        <img src={src} alt="" width={size} height={size} loading="lazy" onError={() => setBroken(src)} />
      ) : (
        <span aria-hidden="true">{[...name.trim()][0]?.toUpperCase() ?? '?'}</span>
      )}
      {provider && (
        <span className={styles.network}>
          <NetworkGlyph provider={provider} size={Math.max(11, size * 0.38)} label={networkNames[provider]} />
        </span>
      )}
    </span>
  )
}
