import { useState } from 'react'
import { newIdempotencyKey } from './client'

/**
 * The keys of what a person asks for. An answer may be lost after the request has had its effect: asking for the same
 * again sends the same key, so that it has its effect once.
 */
export class Intents {
  readonly #keys = new Map<string, Record<string, string>>()

  keyFor(...what: unknown[]): Record<string, string> {
    const name = JSON.stringify(what)
    const known = this.#keys.get(name)
    if (known) return known
    const key = newIdempotencyKey()
    this.#keys.set(name, key)
    return key
  }
}

/** The intents of a page or dialog, for as long as it is open. */
export const useIntents = (): Intents => useState(() => new Intents())[0]
