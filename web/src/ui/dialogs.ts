import type { ReactNode } from 'react'

/** A dialog that is open, and how it is drawn; stays is true for one that going to another page does not close. */
export type OpenDialog = { id: number; draw: (close: () => void) => ReactNode; stays: boolean }

let open: readonly OpenDialog[] = []
let last = 0
const listeners = new Set<() => void>()

function set(next: readonly OpenDialog[]) {
  if (next === open) return
  open = next
  for (const l of listeners) l()
}

export const openDialogs = () => open

export function subscribeDialogs(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Opens a dialog that belongs to the window and not to what opened it: a row may leave its list, or a list be read
 * again, while a person decides. It ends when the person closes it or goes to another page, unless it stays. What it
 * draws is given what it is about, and asks the server for anything that can change meanwhile.
 */
export function showDialog(draw: OpenDialog['draw'], { stays = false } = {}): void {
  set([...open, { id: ++last, draw, stays }])
}

export function closeDialog(id: number): void {
  if (open.some(d => d.id === id)) set(open.filter(d => d.id !== id))
}

/** Closes what belongs to the page that is left: everything but what stays. */
export function closeAllDialogs(): void {
  if (open.some(d => !d.stays)) set(open.filter(d => d.stays))
}
