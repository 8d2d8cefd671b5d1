import { describe, expect, it } from 'vitest'
import { type Draft, emptyDraft, newPart, toPostBody } from './draft'
import { copyName, Keeper, type LocalCopy, openDraft, readCopy, sweepCopies, writeCopy } from './localCopy'

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
    expect(openDraft(draftWith('theirs'), 'v2', copy, emptyDraft())).toMatchObject({ conflict: true, base: 'v1' })
  })

  it('is no conflict when the post holds what the browser holds', () => {
    const copy = copyOf(draftWith('mine'), { unsaved: true })
    const opened = openDraft(draftWith('mine'), 'v2', copy, emptyDraft())
    expect(opened).toEqual({ draft: copy.draft, restored: false, conflict: false, base: 'v2' })
    const tagged = openDraft(draftWith('mine', { tagIds: ['a'] }), 'v2', copy, emptyDraft())
    expect(tagged).toMatchObject({ restored: true, conflict: false })
  })

  it('is no conflict when the post holds what was sent from here and never answered', () => {
    const sent = { key: 'k', base: { id: 'p', contentPayloadId: 'v1' }, body: toPostBody(draftWith('min')) }
    const copy = copyOf(draftWith('mine'), { unsaved: true, sent })
    const opened = openDraft(draftWith('min'), 'v2', copy, emptyDraft())
    expect(opened).toEqual({ draft: copy.draft, restored: true, conflict: false, base: 'v2' })
    expect(openDraft(draftWith('theirs'), 'v2', copy, emptyDraft())).toMatchObject({ conflict: true })
    const older = { ...copy, sent: { ...sent, base: { id: 'p', contentPayloadId: 'v0' } } }
    expect(openDraft(draftWith('min'), 'v2', older, emptyDraft())).toMatchObject({ conflict: true })
  })

  it('brings back a new post that the server has never seen', () => {
    const copy = copyOf(draftWith('new'), { base: null, unsaved: true })
    expect(openDraft(null, null, copy, emptyDraft())).toMatchObject({ restored: true, conflict: false })
  })
})

describe('the copies of two tabs', () => {
  const name = copyName('t', 'p')
  const mine = copyOf(draftWith('mine'), { unsaved: true })
  const theirs = copyOf(draftWith('theirs'), { base: 'v2' })

  it('do not overwrite a text in conflict, and it is the one to open', () => {
    const memory = new Memory()
    const [a, b] = [new Keeper(memory, name), new Keeper(memory, name)]
    a.keep(name, mine, false)
    a.keep(name, mine, true)
    b.keep(name, theirs, false)
    expect(new Keeper(memory, name).copy).toEqual(mine)
  })

  it('go when the conflict is resolved, each to its own place', () => {
    const memory = new Memory()
    const [a, b] = [new Keeper(memory, name), new Keeper(memory, name)]
    a.keep(name, mine, true)
    b.keep(name, theirs, false)
    const apart = { ...mine, base: null }
    a.keep(copyName('t', null), apart, false)
    expect(new Keeper(memory, name).copy).toEqual(theirs)
    expect(new Keeper(memory, copyName('t', null)).copy).toEqual(apart)
  })

  it('leave nothing of the text that moved, so that the post is no conflict when it is opened again', () => {
    const memory = new Memory()
    const keeper = new Keeper(memory, name)
    keeper.keep(name, mine, false)
    keeper.keep(name, mine, true)
    keeper.keep(copyName('t', null), mine, false)
    expect(new Keeper(memory, name).copy).toBeNull()
  })

  it('are not removed by a tab that did not write them', () => {
    const memory = new Memory()
    const a = new Keeper(memory, name)
    a.keep(name, mine, false)
    new Keeper(memory, name).keep(name, theirs, false)
    a.keep(name, mine, true)
    expect(readCopy(memory, name)).toEqual(theirs)
  })

  it('are written when they have changed here, or are not in conflict any more', () => {
    const memory = new Memory()
    writeCopy(memory, name, mine)
    const keeper = new Keeper(memory, name)
    expect(keeper.open(mine.draft, true)).toBe(false)
    expect(keeper.isNew(mine.draft)).toBe(false)
    expect(keeper.isNew(draftWith('more'))).toBe(true)
    keeper.keep(name, theirs, false)
    expect(keeper.isNew(theirs.draft)).toBe(false)
    keeper.keep(name, mine, true)
    expect(new Keeper(memory, name).open(mine.draft, true)).toBe(false)
    expect(new Keeper(memory, name).open(mine.draft, false)).toBe(true)
  })

  it('stay where they are when there is no room for them elsewhere', () => {
    const memory = new Memory()
    const keeper = new Keeper(memory, name)
    keeper.keep(name, mine, false)
    memory.setItem = () => {
      throw new Error('quota')
    }
    keeper.keep(name, mine, true)
    expect(new Keeper(memory, name).copy).toEqual(mine)
  })

  it('of a new post go when it is blank again', () => {
    const memory = new Memory()
    const keeper = new Keeper(memory, name)
    keeper.keep(name, mine, false)
    keeper.drop(name, emptyDraft())
    expect(memory.length).toBe(0)
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
