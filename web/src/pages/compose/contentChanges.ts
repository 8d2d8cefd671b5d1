// What differs between two contents of a post, in words that can be shown.
import { networkNames } from '../../ui/NetworkGlyph'
import { type Change, diff } from '../post/diff'
import { type Draft, type DraftVariant, type Part, sameSet } from './draft'

/** The change of the texts, and what else is different. */
export type Changes = { text: Change[]; rest: string[] }

const nameOf = (v: DraftVariant) => (v.provider ? networkNames[v.provider] : 'One account')

const textOf = (parts: Part[]) => parts.map(p => p.text).join('\n\n')

const wholeText = (d: Draft) =>
  [textOf(d.parts), ...d.variants.map(v => `${nameOf(v)}: ${textOf(v.parts)}`)].join('\n\n')

function mediaOf({ parts, variants }: Draft) {
  const all = [...parts, ...variants.flatMap(v => v.parts)].flatMap(p => p.attachments)
  return all.map(a => (a.kind === 'media' ? { id: a.asset.assetId, alt: a.altText ?? '' } : { id: a.url, alt: '' }))
}

/** How the pictures, videos and links differ; null where they do not. */
function mediaChange(before: Draft, after: Draft): string | null {
  const [was, is] = [mediaOf(before), mediaOf(after)]
  const missing = (from: typeof was, list: typeof was) => from.filter(m => !list.some(o => o.id === m.id)).length
  const [added, removed] = [missing(is, was), missing(was, is)]
  const counts = [added > 0 && `${added} added`, removed > 0 && `${removed} removed`].filter(Boolean)
  if (counts.length > 0) return `Media: ${counts.join(', ')}`
  return same(was, is) ? null : 'Media: the order or the descriptions'
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** What has become of one content in another. */
export function changesOf(before: Draft, after: Draft): Changes {
  const [was, is] = [wholeText(before), wholeText(after)]
  const rest = [
    before.title !== after.title && `Title: ${after.title || 'none'}`,
    mediaChange(before, after),
    !same(before.firstComment, after.firstComment) && `First comment: ${after.firstComment.text || 'none'}`,
    !same(before.trigger, after.trigger) && 'The comment that follows likes',
    !same(before.repost, after.repost) && 'The repost',
    !same(before.recurrence, after.recurrence) && 'The repetition',
    !sameSet(before.tagIds, after.tagIds) && 'The tags',
  ].filter(r => typeof r === 'string')
  const text = was === is ? [] : shortened(diff(was, is))
  if (text.length === 0 && !same(before.parts.length, after.parts.length)) rest.push('The parts of the thread')
  return { text, rest }
}

const around = 60

/** Leaves out what is the same far from a change. */
function shortened(changes: Change[]): Change[] {
  return changes.map((c, n) => {
    const [first, last] = [n === 0, n === changes.length - 1]
    const letters = [...c.text]
    if (c.kind !== 'same' || letters.length <= (first || last ? 1 : 2) * around + 1) return c
    const begin = first ? '' : letters.slice(0, around).join('')
    const end = last ? '' : letters.slice(-around).join('')
    return { kind: 'same', text: `${begin}…${end}` }
  })
}
