// A copy of the draft in the browser, written with every change: what the interface does not keep (accounts, time,
// settings), and what it does not have yet when the tab is closed or the line is lost.
import { type Draft, sameBody, sameContent, toPostBody } from './draft'
import type { Sent } from './requests'

export type LocalCopy = {
  draft: Draft
  /** The version that the draft began from; null for a post that was never saved. */
  base: string | null
  /** Whether it holds content that the server does not have. */
  unsaved: boolean
  at: number
  /** What its plan began from; see Start. */
  from?: string
  /** A save whose answer has not come yet. */
  sent?: Sent | null
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const prefix = 'crier-draft-2:'
const keptFor = 30 * 24 * 60 * 60_000

export const copyName = (teamId: string, postId: string | null) => `${prefix}${teamId}:${postId ?? 'new'}`

export function readCopy(storage: Storage, name: string): LocalCopy | null {
  try {
    const text = storage.getItem(name)
    const copy = text ? (JSON.parse(text) as LocalCopy) : null
    return copy?.draft?.parts && Array.isArray(copy.draft.parts) ? copy : null
  } catch {
    return null
  }
}

/** False: there is no room, or no storage at all. */
export function writeCopy(storage: Storage, name: string, copy: LocalCopy): boolean {
  return write(storage, name, JSON.stringify(copy))
}

function write(storage: Storage, name: string, text: string): boolean {
  try {
    storage.setItem(name, text)
    return true
  } catch {
    return false
  }
}

function read(storage: Storage, name: string): string | null {
  try {
    return storage.getItem(name)
  } catch {
    return null
  }
}

export function removeCopy(storage: Storage, name: string) {
  try {
    storage.removeItem(name)
  } catch {
    // Nothing was stored where nothing can be.
  }
}

/** Where a text is kept that is in conflict with its post. Other tabs with the post open do not write there. */
const heldName = (name: string) => `${name}:mine`

/**
 * Keeps the copy of one open composer. Other tabs may have the same post open and write its copy too: a text in conflict,
 * which is nowhere else, has a place of its own, and nothing is written that has not changed here.
 */
export class Keeper {
  readonly copy: LocalCopy | null
  #storage: Storage
  /** Where the copy of this composer is, and what it is: when it is something else by now, another tab wrote it. */
  #place: string
  #text: string | null
  #draft: Draft | null = null

  /** Finds the copy to open: one in conflict comes first. */
  constructor(storage: Storage, name: string) {
    this.#storage = storage
    const held = readCopy(storage, heldName(name))
    this.#place = held ? heldName(name) : name
    this.#text = read(storage, this.#place)
    this.copy = held ?? readCopy(storage, name)
  }

  /** The draft as the composer opens it. True: it was in conflict and is not any more, so it has to be written. */
  open(draft: Draft, conflict: boolean): boolean {
    this.#draft = draft
    return !conflict && this.#place.endsWith(heldName(''))
  }

  /** Whether this is not what was opened or written last. */
  isNew(draft: Draft): boolean {
    return draft !== this.#draft
  }

  /** Writes the copy, and then removes it from where it was before. */
  keep(name: string, copy: LocalCopy, conflict: boolean) {
    const place = conflict ? heldName(name) : name
    const text = JSON.stringify(copy)
    if (!write(this.#storage, place, text)) return
    this.#leave(place)
    this.#text = text
    this.#draft = copy.draft
  }

  /** There is nothing that would be a loss. */
  drop(name: string, draft: Draft) {
    removeCopy(this.#storage, name)
    this.#leave(name)
    this.#text = null
    this.#draft = draft
  }

  #leave(place: string) {
    const before = this.#place
    if (before !== place && read(this.#storage, before) === this.#text) removeCopy(this.#storage, before)
    this.#place = place
  }
}

/** Removes copies that nobody has touched for a month. */
export function sweepCopies(storage: Storage, now: number) {
  const names = Array.from({ length: storage.length }, (_, n) => storage.key(n))
  for (const name of names) {
    if (!name?.startsWith(prefix)) continue
    const copy = readCopy(storage, name)
    if (!copy || now - copy.at > keptFor) removeCopy(storage, name)
  }
}

/** Base is the version that the draft stands on: in a conflict the older one, also when it is opened once more. */
export type Opened = { draft: Draft; restored: boolean; conflict: boolean; base: string | null }

/**
 * What the composer shows for a post: the server's content with the plan that this browser remembers; or, when the browser
 * has content that was never saved, that content. If the post has changed since, it is a conflict.
 */
export function openDraft(server: Draft | null, version: string | null, copy: LocalCopy | null, blank: Draft): Opened {
  const opened = { restored: false, conflict: false, base: version }
  if (!copy) return { ...opened, draft: server ?? blank }
  // The copy keeps the keys of its parts, by which uploads find their places.
  if (server && sameContent(server, copy.draft)) return { ...opened, draft: copy.draft }
  if (copy.unsaved || !server) {
    const conflict = copy.unsaved && !standsOn(copy, server, version)
    return { draft: copy.draft, restored: copy.unsaved, conflict, base: conflict ? copy.base : version }
  }
  const { accountIds, settings, accountSettings, when } = copy.draft
  return { ...opened, draft: { ...server, accountIds, settings, accountSettings, when } }
}

/**
 * Whether the post is what the copy was written on. A save that this browser sent may have changed it without an answer, as
 * when the tab was closed: then the post holds what was sent, or what the copy holds. Tags have no versions.
 */
function standsOn({ base, draft, sent }: LocalCopy, server: Draft | null, version: string | null): boolean {
  if (base === version || !server) return base === version
  const now = toPostBody(server)
  return sameBody(now, toPostBody(draft)) || (sent?.base?.contentPayloadId === base && sameBody(now, sent.body))
}
