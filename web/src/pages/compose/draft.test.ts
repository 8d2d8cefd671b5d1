import { describe, expect, it } from 'vitest'
import {
  type Account,
  addVariant,
  contentFor,
  type Draft,
  emptyDraft,
  fromPost,
  isBlank,
  newPart,
  type Post,
  previewGroups,
  sameContent,
  setOwnMedia,
  toPostBody,
  toPostInput,
} from './draft'

const picture = { kind: 'media' as const, asset: { assetId: 'a1', mimeType: 'image/png' }, altText: 'A cat' }
const account = (id: string, provider: Account['provider']) => ({ id, provider }) as Account

function draftWith(patch: Partial<Draft>): Draft {
  return { ...emptyDraft(), ...patch }
}

const post = (patch: Partial<Post>) =>
  ({ title: null, text: '', userTags: [], scheduledDestinationAccountIds: [], ...patch }) as unknown as Post

describe('toPostInput', () => {
  it('sends one part as an atomic post, with ids alone of its media', () => {
    const input = toPostInput(draftWith({ parts: [newPart('Hello', [picture])] }))
    expect(input).toEqual({
      kind: 'atomic',
      text: 'Hello',
      attachments: [{ kind: 'media', asset: { assetId: 'a1' }, altText: 'A cat' }],
    })
  })

  it('sends several parts as a thread', () => {
    const input = toPostInput(draftWith({ parts: [newPart('One'), newPart('Two')] }))
    expect(input).toMatchObject({ kind: 'thread', posts: [{ text: 'One' }, { text: 'Two' }] })
  })

  it('leaves out the media of a variant that shows the post’s', () => {
    const [draft] = addVariant(draftWith({ parts: [newPart('Hello', [picture])] }), { provider: 'x' })
    expect(toPostInput(draft).variants).toEqual([{ provider: 'x', text: 'Hello' }])
  })

  it('sends no media for a variant that has none of its own', () => {
    const [draft, key] = addVariant(draftWith({ parts: [newPart('Hello', [picture])] }), { socialAccountId: 's1' })
    const own = setOwnMedia(draft, key, true)
    expect(own.variants[0]?.parts[0]?.attachments).toEqual([picture])
    const none = { ...own, variants: own.variants.map(v => ({ ...v, parts: [newPart('Hi')] })) }
    expect(toPostInput(none).variants).toEqual([{ socialAccountId: 's1', text: 'Hi', attachments: [] }])
  })
})

describe('fromPost', () => {
  it('reads back what toPostBody saves', () => {
    const [draft] = addVariant(
      draftWith({
        title: 'Launch',
        parts: [newPart('One', [picture]), newPart('Two')],
        firstComment: { text: 'First', mediaIds: ['m1'] },
        trigger: { likes: 100, hours: 24, comment: { text: 'Thank you', mediaIds: [] } },
        repost: { offsetDays: 3, text: 'Again' },
        recurrence: { days: 7, endsAt: '2026-12-31T22:59:00.000Z' },
      }),
      { provider: 'threads' },
    )
    const body = toPostBody(draft)
    const read = fromPost(
      post({
        title: body.title,
        postInput: body.postInput as never,
        postPublishActions: body.postPublishActions as never,
      }),
    )
    expect(sameContent(read, draft)).toBe(true)
  })

  it('reads a post without structured content', () => {
    expect(fromPost(post({ text: 'Plain' })).parts).toMatchObject([{ text: 'Plain', attachments: [] }])
  })

  it('keeps media of its own apart from media that it shares', () => {
    const input = {
      kind: 'atomic',
      text: 'All',
      attachments: [picture],
      variants: [
        { provider: 'x', text: 'X', attachments: [] },
        { provider: 'facebook', text: 'F' },
      ],
    }
    const read = fromPost(post({ postInput: input as never }))
    expect(read.variants.map(v => v.ownMedia)).toEqual([true, false])
  })
})

describe('contentFor', () => {
  it('takes the account’s own variant, else its network’s, else the post’s', () => {
    let draft = draftWith({ parts: [newPart('All', [picture])] })
    ;[draft] = addVariant(draft, { provider: 'x' })
    ;[draft] = addVariant(draft, { socialAccountId: 'x2' })
    draft = { ...draft, variants: draft.variants.map((v, n) => ({ ...v, parts: [newPart(n === 0 ? 'X' : 'X2')] })) }
    expect(contentFor(draft, account('x1', 'x'))).toMatchObject([{ text: 'X', attachments: [picture] }])
    expect(contentFor(draft, account('x2', 'x'))).toMatchObject([{ text: 'X2' }])
    expect(contentFor(draft, account('f1', 'facebook'))).toMatchObject([{ text: 'All' }])
  })
})

describe('previewGroups', () => {
  it('draws sixty accounts of one network once, and an account with its own text by itself', () => {
    const accounts = Array.from({ length: 60 }, (_, n) => account(`a${n}`, 'x'))
    const [draft] = addVariant(draftWith({ accountIds: accounts.map(a => a.id) }), { socialAccountId: 'a7' })
    const groups = previewGroups(draft, accounts)
    expect(groups.map(g => g.accounts.length)).toEqual([59, 1])
  })

  it('ignores accounts that are gone', () => {
    expect(previewGroups(draftWith({ accountIds: ['gone'] }), [])).toEqual([])
  })
})

it('calls a draft blank while nothing would be lost', () => {
  expect(isBlank(draftWith({ accountIds: ['a'] }))).toBe(true)
  expect(isBlank(draftWith({ parts: [newPart('', [picture])] }))).toBe(false)
})
