import { type RefObject, useEffect, useState } from 'react'

const around = 6

/** Which rows of a long list are on the screen, with a few around them. top is where the list begins on the screen. */
export function visibleRange(top: number, screen: number, row: number, count: number): { from: number; to: number } {
  const from = Math.max(0, Math.min(count, Math.floor(-top / row)) - around)
  const to = Math.min(count, Math.max(0, Math.ceil((screen - top) / row)) + around)
  return { from, to: Math.max(to, from) }
}

/** Follows scrolling, wherever it happens, and tells which rows to draw. */
export function useVisibleRange(list: RefObject<HTMLElement | null>, row: number, count: number) {
  const [range, setRange] = useState({ from: 0, to: Math.min(count, 30) })
  useEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const top = list.current?.getBoundingClientRect().top ?? 0
      const next = visibleRange(top, innerHeight, row, count)
      setRange(before => (before.from === next.from && before.to === next.to ? before : next))
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    document.addEventListener('scroll', later, { capture: true, passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('scroll', later, { capture: true })
      removeEventListener('resize', later)
    }
  }, [list, row, count])
  return range
}
