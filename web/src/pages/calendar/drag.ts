// Dragging cards by pointer and touch. While a card is dragged nothing of React is drawn: a copy of the card follows the
// pointer and a marker shows where it would fall, both moved by the compositor alone.
import { type RefObject, useEffect, useRef } from 'react'

/** Where a card would fall: what that means, what to say about it, and the place in the window to mark. */
export type Target<T> = { value: T; label: string; box: { left: number; top: number; width: number; height: number } }

export type DragSpec<Item, T> = {
  /** The element around all cards; cards that can be moved carry data-card. */
  container: RefObject<HTMLElement | null>
  /** What scrolls when the pointer comes near its edge. */
  scroller?: RefObject<HTMLElement | null>
  enabled: boolean
  /** What a card stands for, as it is lifted: it stays in hand when the page is turned and it is not on it any more. */
  find: (id: string) => Item | undefined
  /** The target for the upper left corner of the card at x and y, with the pointer at px and py. */
  locate: (item: Item, at: { x: number; y: number; px: number; py: number }) => Target<T> | null
  onDrop: (item: Item, value: T) => void
}

const mouseThreshold = 4
const touchThreshold = 10
const touchHold = 320
const turnPageAfter = 700

type Drag<Item, T> = {
  id: string
  item: Item | undefined
  pointer: number
  card: HTMLElement
  startX: number
  startY: number
  /** From the pointer to the card's upper left corner. */
  dx: number
  dy: number
  touch: boolean
  holding: ReturnType<typeof setTimeout> | undefined
  copy: HTMLElement | null
  marker: HTMLElement | null
  label: HTMLElement | null
  target: Target<T> | null
  x: number
  y: number
  frame: number
  turning: { button: Element; since: number } | null
}

export function useDrag<Item, T>(spec: DragSpec<Item, T>) {
  const latest = useRef(spec)
  latest.current = spec
  const { container, enabled } = spec
  useEffect(() => {
    const element = container.current
    if (!element || !enabled) return
    return listen(element, latest)
  }, [container, enabled])
}

function listen<Item, T>(element: HTMLElement, spec: RefObject<DragSpec<Item, T>>): () => void {
  let drag: Drag<Item, T> | null = null

  const down = (e: PointerEvent) => {
    if (drag || e.button !== 0 || !e.isPrimary) return
    const card = (e.target as Element).closest<HTMLElement>('[data-card]')
    const id = card?.dataset.card
    if (!card || !id) return
    const box = card.getBoundingClientRect()
    const touch = e.pointerType === 'touch'
    drag = {
      id,
      item: undefined,
      card,
      touch,
      pointer: e.pointerId,
      startX: e.clientX,
      startY: e.clientY,
      dx: box.left - e.clientX,
      dy: box.top - e.clientY,
      holding: touch ? setTimeout(begin, touchHold) : undefined,
      copy: null,
      marker: null,
      label: null,
      target: null,
      x: e.clientX,
      y: e.clientY,
      frame: 0,
      turning: null,
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', up)
    addEventListener('pointercancel', cancel)
    addEventListener('keydown', abandon, true)
  }

  const begin = () => {
    if (!drag || drag.copy) return
    drag.item = spec.current.find(drag.id)
    if (!drag.item) return end()
    const box = drag.card.getBoundingClientRect()
    drag.copy = drag.card.cloneNode(true) as HTMLElement
    drag.copy.removeAttribute('data-card')
    drag.copy.removeAttribute('id')
    drag.copy.dataset.dragged = ''
    Object.assign(drag.copy.style, { width: `${box.width}px`, left: '0', top: '0', height: 'auto' })
    drag.marker = document.createElement('div')
    drag.marker.dataset.marker = ''
    drag.label = document.createElement('span')
    drag.marker.append(drag.label)
    element.append(drag.marker, drag.copy)
    element.dataset.dragging = ''
    drag.card.dataset.lifted = ''
    if (drag.touch) navigator.vibrate?.(10)
    drag.frame = requestAnimationFrame(draw)
  }

  const move = (e: PointerEvent) => {
    if (!drag || e.pointerId !== drag.pointer) return
    drag.x = e.clientX
    drag.y = e.clientY
    if (drag.copy) return
    const far = Math.hypot(e.clientX - drag.startX, e.clientY - drag.startY)
    if (drag.touch && far > touchThreshold) end()
    else if (!drag.touch && far > mouseThreshold) begin()
  }

  const draw = () => {
    if (!drag?.copy || !drag.marker || !drag.label || !drag.item) return
    scroll(drag)
    turn(drag)
    const { x, y, dx, dy, copy, marker, label } = drag
    copy.style.transform = `translate(${x + dx}px, ${y + dy}px)`
    const target = spec.current.locate(drag.item, { x: x + dx, y: y + dy, px: x, py: y })
    drag.target = target
    marker.hidden = !target
    if (target) {
      const { left, top, width, height } = target.box
      marker.style.transform = `translate(${left}px, ${top}px)`
      marker.style.width = `${width}px`
      marker.style.height = `${height}px`
      if (label.textContent !== target.label) label.textContent = target.label
    }
    drag.frame = requestAnimationFrame(draw)
  }

  const scroll = (d: Drag<Item, T>) => {
    const scroller = spec.current.scroller?.current
    if (!scroller) return
    const box = scroller.getBoundingClientRect()
    const edge = 40
    if (d.y < box.top + edge) scroller.scrollTop -= Math.min(12, (box.top + edge - d.y) / 3)
    else if (d.y > box.bottom - edge) scroller.scrollTop += Math.min(12, (d.y - box.bottom + edge) / 3)
  }

  // Resting on the arrows of the calendar turns the page, so that a card can go to another month.
  const turn = (d: Drag<Item, T>) => {
    const button = document.elementFromPoint(d.x, d.y)?.closest('[data-turn]') ?? null
    if (!button) d.turning = null
    else if (d.turning?.button !== button) d.turning = { button, since: performance.now() }
    else if (performance.now() - d.turning.since > turnPageAfter) {
      d.turning.since = performance.now()
      ;(button as HTMLElement).click()
    }
  }

  const up = (e: PointerEvent) => {
    if (!drag || e.pointerId !== drag.pointer) return
    const { copy, item } = drag
    if (copy) {
      cancelAnimationFrame(drag.frame)
      draw()
    }
    const { target } = drag
    end()
    if (!copy || !item) return
    addEventListener('click', swallow, { capture: true, once: true })
    setTimeout(() => removeEventListener('click', swallow, true))
    if (target) spec.current.onDrop(item, target.value)
  }

  const swallow = (e: Event) => {
    e.preventDefault()
    e.stopPropagation()
  }

  const cancel = (e: PointerEvent) => {
    if (e.pointerId === drag?.pointer) end()
  }

  const abandon = (e: KeyboardEvent) => {
    if (e.key !== 'Escape' || !drag?.copy) return
    e.stopPropagation()
    end()
  }

  const end = () => {
    if (!drag) return
    clearTimeout(drag.holding)
    cancelAnimationFrame(drag.frame)
    drag.copy?.remove()
    drag.marker?.remove()
    delete drag.card.dataset.lifted
    delete element.dataset.dragging
    drag = null
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', up)
    removeEventListener('pointercancel', cancel)
    removeEventListener('keydown', abandon, true)
  }

  // A finger that holds a card moves it and does not scroll the page.
  const hold = (e: TouchEvent) => {
    if (drag?.copy) e.preventDefault()
  }
  const quiet = (e: Event) => {
    if (drag?.touch) e.preventDefault()
  }

  element.addEventListener('pointerdown', down)
  element.addEventListener('touchmove', hold, { passive: false })
  element.addEventListener('contextmenu', quiet)
  return () => {
    end()
    element.removeEventListener('pointerdown', down)
    element.removeEventListener('touchmove', hold)
    element.removeEventListener('contextmenu', quiet)
  }
}
