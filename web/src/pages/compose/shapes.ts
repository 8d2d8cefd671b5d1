// The shapes that pictures can be cut to, and which networks take each: from the rules that the interface tells.
import type { Provider } from '../../ui'
import type { Network } from './networks'

export type Shape = { name: string; ratio: number }

/** Width to height, as people know them. */
export const shapes: Shape[] = [
  { name: 'Square 1:1', ratio: 1 },
  { name: 'Portrait 4:5', ratio: 4 / 5 },
  { name: 'Tall 9:16', ratio: 9 / 16 },
  { name: 'Wide 16:9', ratio: 16 / 9 },
  { name: 'Link 1.91:1', ratio: 1.91 },
]

const slack = 0.01

/** The networks of a list of which some format takes a picture of this ratio. */
export function takenBy(ratio: number, networks: Network[]): Provider[] {
  const fits = (n: Network) =>
    n.formats.some(f =>
      f.media.some(
        m =>
          m.class === 'image' &&
          ratio >= (m.minAspect ?? 0) - slack &&
          ratio <= (m.maxAspect ?? Number.POSITIVE_INFINITY) + slack,
      ),
    )
  return networks.filter(n => n.formats.some(f => f.media.some(m => m.class === 'image')) && fits(n)).map(n => n.name)
}

export type Box = { x: number; y: number; width: number; height: number }

/** The largest box of a ratio in the middle of a picture. */
export function largestBox(width: number, height: number, ratio: number): Box {
  const w = Math.min(width, height * ratio)
  const h = w / ratio
  return { x: (width - w) / 2, y: (height - h) / 2, width: w, height: h }
}

/** The box of a zoom (1 is the largest) around a centre (0 to 1), kept within the picture. */
export function boxAt(width: number, height: number, ratio: number, zoom: number, cx: number, cy: number): Box {
  const full = largestBox(width, height, ratio)
  const w = full.width / zoom
  const h = full.height / zoom
  const x = Math.min(Math.max(cx * width - w / 2, 0), width - w)
  const y = Math.min(Math.max(cy * height - h / 2, 0), height - h)
  return { x, y, width: w, height: h }
}
