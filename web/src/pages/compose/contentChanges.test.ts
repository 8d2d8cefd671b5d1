import { expect, it } from 'vitest'
import { changesOf } from './contentChanges'
import { type Draft, emptyDraft, newPart } from './draft'

const draft = (text: string, more: Partial<Draft> = {}): Draft => ({ ...emptyDraft(), parts: [newPart(text)], ...more })

const media = (assetId: string, altText?: string) => [{ kind: 'media' as const, asset: { assetId } as never, altText }]

it('says nothing of contents that are the same', () => {
  expect(changesOf(draft('Hello'), draft('Hello'))).toEqual({ text: [], rest: [] })
})

it('shows what was written and what was taken away, without what is the same far from it', () => {
  const { text } = changesOf(draft(`${'a '.repeat(300)}old end`), draft(`${'a '.repeat(300)}new end`))
  expect(text.map(c => c.kind)).toEqual(['same', 'removed', 'added', 'same'])
  expect(text[0]?.text).toHaveLength(61)
  expect(text.slice(1).map(c => c.text)).toEqual(['old', 'new', ' end'])
})

it('names the network whose text is different', () => {
  const variant = { key: 'v', provider: 'linkedin' as const, parts: [newPart('We are hiring')], ownMedia: false }
  const { text } = changesOf(draft('Hello'), draft('Hello', { variants: [variant] }))
  expect(text.at(-1)).toEqual({ kind: 'added', text: expect.stringContaining('LinkedIn: We are hiring') })
})

it('names what else is different', () => {
  const before = draft('Hello', { parts: [newPart('Hello', media('one'))], tagIds: ['a'] })
  const after = draft('Hello', {
    parts: [newPart('Hello', media('two'))],
    title: 'Bread',
    firstComment: { text: 'Closed on Mondays', mediaIds: [] },
    recurrence: { days: 7, endsAt: null },
  })
  expect(changesOf(before, after)).toEqual({
    text: [],
    rest: [
      'Title: Bread',
      'Media: 1 added, 1 removed',
      'First comment: Closed on Mondays',
      'The repetition',
      'The tags',
    ],
  })
  const described = draft('Hello', { parts: [newPart('Hello', media('one', 'A loaf'))], tagIds: ['a'] })
  expect(changesOf(before, described).rest).toEqual(['Media: the order or the descriptions'])
})
