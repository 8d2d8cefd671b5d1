// What a network lets an account do, in words. The facts are the server's.
import type { Schemas } from '../../api/client'
import { networkNames } from '../../ui/NetworkGlyph'

const postTypes: Record<string, string> = {
  text_post: 'text',
  text_image: 'a picture',
  text_video: 'a video',
  carousel: 'several pictures',
}

type Told = Partial<Record<keyof Schemas['Capabilities'], unknown>>

const abilities: [keyof Told, string][] = [
  ['threads', 'threads'],
  ['firstComment', 'first comment'],
  ['repost', 'repost'],
  ['quote', 'quote'],
  ['delete', 'delete there'],
  ['metrics', 'numbers of posts'],
  ['analytics', 'numbers of the account'],
  ['altText', 'alt texts'],
]

/** What the account can publish and what it cannot do, as lists of words. A newer server may tell more than is known. */
export function abilitiesOf({ capabilities: c }: { capabilities: Told }): { can: string[]; not: string[] } {
  const types = Array.isArray(c.postTypes) ? c.postTypes.map(t => postTypes[String(t)] ?? String(t)) : []
  const known = abilities.filter(([name]) => typeof c[name] === 'boolean')
  return {
    can: [...types, ...known.filter(([name]) => c[name]).map(([, word]) => word)],
    not: known.filter(([name]) => !c[name]).map(([, word]) => word),
  }
}

/** Accounts in the order in which a person looks for them: broken ones first, then by network and name. */
export function inOrder<A extends Pick<Schemas['SocialAccount'], 'status' | 'provider' | 'displayName'>>(
  list: A[],
): A[] {
  const rank = (a: A) => ({ refresh_needed: 0, connected: 1, disabled: 2, disconnected: 3 })[a.status]
  const place = (a: A) => Object.keys(networkNames).indexOf(a.provider)
  return list.toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b) || a.displayName.localeCompare(b.displayName))
}
