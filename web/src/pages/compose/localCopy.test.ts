import { describe, expect, it } from 'vitest'
import { type Draft, emptyDraft, newPart, toPostBody } from './draft'
import { copyName, type LocalCopy, openDraft, readCopy, sweepCopies, writeCopy } from './localCopy'

class Memory {
  #items = new Map<string, string>()
  get length() {
    return this.#items.size
  }
  key = (n: number) => [...this.#items.keys()][n] ?? null
  getItem = (k: string) => this.#items.get(k) ?? null
  setItem = (k: string, v: string) => {
    this.#items.set(k, v)
  }
  removeItem = (k: string) => {
    this.#items.delete(k)
  }
}

const draftWith = (text: string, patch: Partial<Draft> = {}): Draft => ({
  ...emptyDraft(),
  parts: [newPart(text)],
  ...patch,
})
const copyOf = (draft: Draft, patch: Partial<LocalCopy> = {}): LocalCopy => ({
  draft,
  base: 'v1',
  unsaved: false,
  at: 1,
  ...patch,
})

describe('openDraft', () => {
  it('shows the server’s content with the plan that the browser remembers', () => {
    const copy = copyOf(draftWith('old', { accountIds: ['a'], when: { kind: 'now' } }))
    const opened = openDraft(draftWith('new'), 'v2', copy, emptyDraft())
    expect(opened).toMatchObject({ restored: false, conflict: false })
    expect(opened.draft).toMatchObject({ parts: [{ text: 'new' }], accountIds: ['a'], when: { kind: 'now' } })
  })

  it('keeps the keys of the parts when nothing has changed', () => {
    const copy = copyOf(draftWith('same'))
    expect(openDraft(draftWith('same'), 'v1', copy, emptyDraft()).draft.parts[0]?.key).toBe(copy.draft.parts[0]?.key)
  })

  it('brings back what was never saved', () => {
    const copy = copyOf(draftWith('mine'), { unsaved: true })
    const opened = openDraft(draftWith('theirs'), 'v1', copy, emptyDraft())
    expect(opened).toMatchObject({ restored: true, conflict: false, draft: { parts: [{ text: 'mine' }] } })
  })

  it('is a conflict when the post has changed since', () => {
    const copy = copyOf(draftWith('mine'), { unsaved: true })
    expect(openDraft(draftWith('theirs'), 'v2', copy, emptyDraft())).toMatchObject({ conflict: true })
  })

  it('is no conflict when the post holds what the browser holds', () => {
    const copy = copyOf(draftWith('mine'), { unsaved: true })
    const opened = openDraft(draftWith('mine'), 'v2', copy, emptyDraft())
    expect(opened).toEqual({ draft: copy.draft, restored: false, conflict: false })
    const tagged = openDraft(draftWith('mine', { tagIds: ['a'] }), 'v2', copy, emptyDraft())
    expect(tagged).toMatchObject({ restored: true, conflict: false })
  })

  it('is no conflict when the post holds what was sent from here and never answered', () => {
    const sent = { key: 'k', base: { id: 'p', contentPayloadId: 'v1' }, body: toPostBody(draftWith('min')) }
    const copy = copyOf(draftWith('mine'), { unsaved: true, sent })
    const opened = openDraft(draftWith('min'), 'v2', copy, emptyDraft())
    expect(opened).toEqual({ draft: copy.draft, restored: true, conflict: false })
    expect(openDraft(draftWith('theirs'), 'v2', copy, emptyDraft())).toMatchObject({ conflict: true })
    const older = { ...copy, sent: { ...sent, base: { id: 'p', contentPayloadId: 'v0' } } }
    expect(openDraft(draftWith('min'), 'v2', older, emptyDraft())).toMatchObject({ conflict: true })
  })

  it('brings back a new post that the server has never seen', () => {
    const copy = copyOf(draftWith('new'), { base: null, unsaved: true })
    expect(openDraft(null, null, copy, emptyDraft())).toMatchObject({ restored: true, conflict: false })
  })
})

it('reads nothing from a copy that is damaged', () => {
  const memory = new Memory()
  memory.setItem(copyName('t', 'p'), '{"draft":{}}')
  expect(readCopy(memory, copyName('t', 'p'))).toBeNull()
  memory.setItem(copyName('t', 'p'), 'not JSON')
  expect(readCopy(memory, copyName('t', 'p'))).toBeNull()
})

it('removes copies of a month ago and nothing else', () => {
  const memory = new Memory()
  const day = 24 * 60 * 60_000
  memory.setItem('other', 'x')
  writeCopy(memory, copyName('t', 'old'), copyOf(draftWith('old'), { at: 0 }))
  writeCopy(memory, copyName('t', 'new'), copyOf(draftWith('new'), { at: 30 * day }))
  sweepCopies(memory, 31 * day)
  expect(memory.getItem('other')).toBe('x')
  expect(readCopy(memory, copyName('t', 'old'))).toBeNull()
  expect(readCopy(memory, copyName('t', 'new'))).not.toBeNull()
})

it('says when there is no room', () => {
  const full = {
    ...new Memory(),
    length: 0,
    setItem: () => {
      throw new Error('quota')
    },
  } as never
  expect(writeCopy(full, 'n', copyOf(draftWith('x')))).toBe(false)
})
