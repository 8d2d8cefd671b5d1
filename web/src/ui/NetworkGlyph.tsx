import type { Schemas } from '../api/client'

export type Provider = Schemas['SocialAccount']['provider']

/** Names as people write them. */
export const networkNames: Record<Provider, string> = {
  x: 'X',
  tiktok: 'TikTok',
  instagram: 'Instagram',
  facebook: 'Facebook',
  youtube: 'YouTube',
  linkedin: 'LinkedIn',
  threads: 'Threads',
}

/** Simple signs of our own, one line weight, on a grid of 16 by 16: not the networks' trademarks. */
const signs: Record<Provider, string> = {
  x: 'M3.5 3.5H6l6.5 9H10zM12 3.5L8.8 7.2M7.2 8.9L4 12.5',
  tiktok: 'M9 3v7.5a2.5 2.5 0 1 1-2.5-2.5M9 3.5q1 2.5 3.5 2.7',
  instagram:
    'M3.5 5.5a2 2 0 0 1 2-2h5a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-5a2 2 0 0 1-2-2zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  facebook: 'M10.5 3.5q-2.5-.5-2.5 2V13M5.5 8H10',
  youtube: 'M3 5.5q0-1.5 1.5-1.5h7q1.5 0 1.5 1.5v5q0 1.5-1.5 1.5h-7Q3 12 3 10.5zM7 6.2v3.6L10 8z',
  linkedin: 'M4.5 7v5M4.5 4.2v.1M7.5 12V7M7.5 9.5Q7.7 7 9.7 7t2 2.5V12',
  threads: 'M11.5 5.5Q10.5 3.2 8 3.2 4 3.2 4 8t4 4.8q3.7 0 3.7-2.5T8.2 8Q6 8 6 9.5t2 1.3q2-.2 1.8-3Q9.5 5.8 8 5.8',
}

/** The sign of a network. Beside its name leave label out; alone it tells the name. */
export function NetworkGlyph({
  provider,
  size = 16,
  label,
}: {
  provider: Provider
  size?: number
  label?: string | true
}) {
  const text = label === true ? networkNames[provider] : label
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      role={text ? 'img' : undefined}
      aria-label={text}
      aria-hidden={text ? undefined : true}
      focusable="false"
    >
      <path d={signs[provider]} />
    </svg>
  )
}
