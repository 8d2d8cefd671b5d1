import { startTransition, useEffect, useState, useSyncExternalStore } from 'react'
import type { Draft } from './draft'

/** Holds the draft outside of React: a keystroke draws what shows it, and nothing else. */
export class DraftStore {
  #draft: Draft
  #listeners = new Set<() => void>()
  /** Rises when the draft is replaced as a whole, so that text areas, which keep their own text, begin anew. */
  generation = 0

  constructor(draft: Draft) {
    this.#draft = draft
  }

  get = () => this.#draft

  set(change: (draft: Draft) => Draft) {
    const next = change(this.#draft)
    if (next === this.#draft) return
    this.#draft = next
    for (const l of this.#listeners) l()
  }

  replace(draft: Draft) {
    this.generation++
    this.set(() => draft)
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** A piece of the draft; draws again when that piece has changed. */
export function useDraft<T>(store: DraftStore, select: (draft: Draft) => T): T {
  return useSyncExternalStore(store.subscribe, () => select(store.get()))
}

/** The whole draft, as soon as there is time: typing never waits for what draws it. */
export function useDraftLater(store: DraftStore): Draft {
  const [draft, setDraft] = useState(store.get)
  useEffect(() => {
    const update = () => startTransition(() => setDraft(store.get()))
    update()
    return store.subscribe(update)
  }, [store])
  return draft
}
