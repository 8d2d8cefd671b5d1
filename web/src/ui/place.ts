/** Puts a popover below its button, or above where there is more room, within the window. Anchors are not in all browsers. */
export function placeBelow(button: HTMLElement | null, popover: HTMLElement | null, align: 'start' | 'end') {
  if (!button || !popover) return
  const box = button.getBoundingClientRect()
  const { width, height } = popover.getBoundingClientRect()
  const x = align === 'end' ? box.right - width : box.left
  const below = box.bottom + 4 + height <= innerHeight || box.top < height
  const y = below ? Math.min(box.bottom + 4, Math.max(8, innerHeight - height - 8)) : box.top - height - 4
  popover.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`
  popover.style.top = `${y}px`
}
