/** The strokes of each icon on a grid of 20 by 20. */
const strokes = {
  calendar: 'M3 5h14v12H3zM3 8.5h14M7 3v4M13 3v4',
  queue: 'M3 5h14M3 10h14M3 15h9',
  compose: 'M4 16l1-4L14 3l3 3-9 9zM12 5l3 3',
  posts: 'M4 3h12v14H4zM7 7h6M7 10h6M7 13h4',
  attention: 'M10 3l8 14H2zM10 8v4M10 14.3v.4',
  media: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M12.5 7.5v.1',
  analytics: 'M3 17h14M5.5 17v-5M10 17V5M14.5 17v-8',
  accounts: 'M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM4 17c0-3.3 2.7-5 6-5s6 1.7 6 5',
  slots: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l3 2',
  settings: 'M3 6h8M15 6h2M13 4v4M3 14h2M9 14h8M7 12v4',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8 8a2 2 0 1 1 2.5 2q-.5.2-.5 1.5M10 13.9v.2',
  search: 'M9 14A5 5 0 1 0 9 4a5 5 0 0 0 0 10zM13 13l4 4',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  check: 'M4 10.5l4 4 8-9',
  cross: 'M5 5l10 10M15 5L5 15',
  left: 'M12 4l-6 6 6 6',
  right: 'M8 4l6 6-6 6',
  up: 'M4 12l6-6 6 6',
  down: 'M4 8l6 6 6-6',
  more: 'M4 9.2h1.6v1.6H4zM9.2 9.2h1.6v1.6H9.2zM14.4 9.2H16v1.6h-1.6z',
  menu: 'M3 6h14M3 10h14M3 14h14',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l3 2',
  send: 'M3 10l14-6-5 13-3-5z',
  repeat: 'M4 9V7h11l-2.5-2.5M16 11v2H5l2.5 2.5',
  draft: 'M5 3h7l3 3v11H5zM12 3v3h3',
  question: 'M7 7.5a3 3 0 1 1 4 2.8q-1 .4-1 2.2M10 15.5v.1',
  stop: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5 5l10 10',
  trash: 'M4 6h12M8 6V4h4v2M6 6l1 11h6l1-11',
  undo: 'M7 5L3 9l4 4M3 9h9a4 4 0 0 1 0 8h-2',
  link: 'M8 12l4-4M9 6l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 14l-2 2a3.5 3.5 0 0 1-5-5l2-2',
  external: 'M11 4h5v5M16 4l-7 7M14 11v5H4V6h5',
  filter: 'M3 5h14l-5 6v5l-4-2v-3z',
  tag: 'M3 3h7l7 7-7 7-7-7zM7 7v.1',
  upload: 'M10 13V4M6 8l4-4 4 4M4 14v3h12v-3',
  image: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4',
  several: 'M7 3h10v10H7zM13 16v1H3V7h1',
  video: 'M3 5h10v10H3zM13 9l4-2v6l-4-2',
  folder: 'M3 5h5l2 2h7v9H3z',
  copy: 'M7 7h9v10H7zM4 13V3h9',
  refresh: 'M16 8A6.5 6.5 0 1 0 16.5 11M16 4v4h-4',
  eye: 'M2.5 10q3-5 7.5-5t7.5 5q-3 5-7.5 5t-7.5-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  lock: 'M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  offline: 'M3 3l14 14M4 9q2-2 4-2.5M16 9q-2-2-5-2.7M7 12.5q1-1 2.5-1.2M10 15.5v.1',
  sandbox: 'M3 7l7-4 7 4v6l-7 4-7-4zM3 7l7 4 7-4M10 11v6',
  star: 'M10 3l2.1 4.6 5 .6-3.7 3.4 1 5-4.4-2.5-4.4 2.5 1-5L2.9 8.2l5-.6z',
} as const

export type IconName = keyof typeof strokes

/** A drawing that stands beside a word; where it stands alone, label says what it means. */
export function Icon({ name, size = 20, label }: { name: IconName; size?: number; label?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
      focusable="false"
    >
      <path d={strokes[name]} />
    </svg>
  )
}
