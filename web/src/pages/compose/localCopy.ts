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
  try {
    storage.setItem(name, JSON.stringify(copy))
    return true
  } catch {
    return false
  }
}

export function removeCopy(storage: Storage, name: string) {
  try {
    storage.removeItem(name)
  } catch {
    // Nothing was stored where nothing can be.
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

export type Opened = { draft: Draft; restored: boolean; conflict: boolean }

/**
 * What the composer shows for a post: the server's content with the plan that this browser remembers; or, when the browser
 * has content that was never saved, that content. If the post has changed since, it is a conflict.
 */
export function openDraft(server: Draft | null, version: string | null, copy: LocalCopy | null, blank: Draft): Opened {
  if (!copy) return { draft: server ?? blank, restored: false, conflict: false }
  // The copy keeps the keys of its parts, by which uploads find their places.
  if (server && sameContent(server, copy.draft)) return { draft: copy.draft, restored: false, conflict: false }
  if (copy.unsaved || !server) {
    return { draft: copy.draft, restored: copy.unsaved, conflict: copy.unsaved && !standsOn(copy, server, version) }
  }
  const { accountIds, settings, accountSettings, when } = copy.draft
  return { draft: { ...server, accountIds, settings, accountSettings, when }, restored: false, conflict: false }
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
