let modals: readonly HTMLElement[] = []
const listeners = new Set<() => void>()

function set(next: readonly HTMLElement[]) {
  modals = next
  for (const l of listeners) l()
}

/** The dialog in front of everything, if there is one: nothing outside of it is seen well, pressed or read aloud. */
export const frontModal = () => modals.at(-1) ?? null

export function subscribeModals(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const addModal = (dialog: HTMLElement) => set([...modals, dialog])
export const removeModal = (dialog: HTMLElement) => set(modals.filter(m => m !== dialog))
