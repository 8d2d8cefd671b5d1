import { useState } from 'react'
import { newIdempotencyKey } from './client'

type Key = Record<string, string>

type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/**
 * The keys of what a person asks for. An answer may be lost after the request has had its effect: asking for the same
 * again sends the same key, so that it has its effect once. Of a purpose the newest request alone is remembered: an
 * earlier one was overtaken, and its answer would tell what is true no more.
 */
export class Intents {
  readonly #asked: Map<string, { what: string; keys: Key[] }>
  readonly #store: { place: Place; name: string } | null

  /** With a store, they outlive a reload of the page. */
  constructor(store: { place: Place; name: string } | null = null) {
    this.#store = store
    this.#asked = new Map(read(store))
  }

  /** The key of a request, or of one of several that a purpose needs: what is all that they say. */
  keyFor(purpose: string, what: unknown, part = 0): Key {
    const text = JSON.stringify(what)
    let asked = this.#asked.get(purpose)
    if (asked?.what !== text) asked = { what: text, keys: [] }
    const key = asked.keys[part] ?? newIdempotencyKey()
    asked.keys[part] = key
    this.#asked.set(purpose, asked)
    this.#write()
    return key
  }

  /** Whether something was asked for whose answer has not come. */
  get open(): boolean {
    return this.#asked.size > 0
  }

  /** Everything is answered: whoever asks for the same again means it once more. */
  forget() {
    this.#asked.clear()
    this.#write()
  }

  #write() {
    if (!this.#store) return
    const { place, name } = this.#store
    try {
      if (this.open) place.setItem(name, JSON.stringify([...this.#asked]))
      else place.removeItem(name)
    } catch {
      // Where nothing can be stored, they live as long as the page.
    }
  }
}

function read(store: { place: Place; name: string } | null): [string, { what: string; keys: Key[] }][] {
  try {
    return JSON.parse(store?.place.getItem(store.name) ?? '[]')
  } catch {
    return []
  }
}

/** The intents of a page or dialog for as long as it is open; with a name, of this tab. */
export const useIntents = (name?: string): Intents =>
  useState(() => new Intents(name ? { place: sessionStorage, name: `crier-intents:${name}` } : null))[0]
