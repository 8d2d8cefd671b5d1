import { expect, it } from 'vitest'
import { type Draft, emptyDraft, newPart, type Post } from './draft'
import { type Saved, Saver } from './saver'
import { giveBack, saveApart, takeTheirs } from './sides'
import { DraftStore } from './store'

const written = (text: string): Draft => ({
  ...emptyDraft(),
  parts: [newPart(text)],
  tagIds: ['tag'],
  accountIds: ['x1'],
  when: { kind: 'time', date: '2026-11-17', time: '09:00' },
})

function setUp() {
  const sent: { draft: Draft; base: Saved | null }[] = []
  const saver = new Saver<Draft>(
    { id: 'p', contentPayloadId: 'v1' },
    {
      save: async (draft, base) => {
        sent.push({ draft, base })
        return { saved: { id: base?.id ?? 'new', contentPayloadId: 'v9' }, behind: false }
      },
      isConflict: () => false,
      onState: () => {},
      now: () => 0,
    },
  )
  const store = new DraftStore(written('Mine'))
  const memory = { tags: ['tag'], sent: null }
  return { sent, sides: { store, saver, memory, saved: { current: written('As it was') } } }
}

const theirs = { id: 'p', contentPayloadId: 'v2', text: 'Theirs', userTags: [] as Post['userTags'] } as Post

it('saves mine at once, as a draft of its own that goes out nowhere', async () => {
  const { sent, sides } = setUp()
  sides.saver.hold(sides.store.get())
  await saveApart(sides)
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ base: null, draft: { parts: [{ text: 'Mine' }], when: { kind: 'draft' } } })
  expect(sides.saver.base).toMatchObject({ id: 'new' })
  expect(sides.store.get().when).toEqual({ kind: 'draft' })
  expect(sides.memory.tags).toEqual([]) // the new post has none yet, so they are sent
})

it('shows theirs with the plan of mine, and goes on from their version', () => {
  const { sides } = setUp()
  sides.saver.hold(sides.store.get())
  takeTheirs(sides, theirs)
  expect(sides.store.get()).toMatchObject({ parts: [{ text: 'Theirs' }], accountIds: ['x1'], when: { kind: 'time' } })
  expect(sides.saver).toMatchObject({ base: { id: 'p', contentPayloadId: 'v2' }, dirty: false })
})

it('gives back what was typed and not saved, also where only the button saves', () => {
  const { sides } = setUp()
  const undo = takeTheirs(sides, theirs)
  undo?.()
  expect(sides.store.get()).toMatchObject({ parts: [{ text: 'Mine' }] })
  expect(sides.saver).toMatchObject({ base: { contentPayloadId: 'v1' }, state: { kind: 'conflict' } })
})

it('has nothing to give back where nothing was typed', () => {
  const { sides } = setUp()
  sides.saved.current = written('Mine')
  expect(takeTheirs(sides, theirs)).toBeNull()
})

it('gives back what is stored, with the plan of mine, and what was typed by the undo', () => {
  const { sides } = setUp()
  const { store, saver } = sides
  const undo = giveBack(sides, { ...theirs, contentPayloadId: 'v1', text: 'Stored' })
  expect(store.get()).toMatchObject({ parts: [{ text: 'Stored' }], accountIds: ['x1'], when: { kind: 'time' } })
  undo()
  expect(store.get().parts[0]?.text).toBe('Mine')
  expect(saver.state.kind).toBe('idle')
})

it('gives back the version that others have stored meanwhile, on which mine does not stand', () => {
  const { sides } = setUp()
  const { store, saver } = sides
  const undo = giveBack(sides, theirs)
  expect([store.get().parts[0]?.text, saver.base?.contentPayloadId]).toEqual(['Theirs', 'v2'])
  undo()
  expect([store.get().parts[0]?.text, saver.state.kind]).toEqual(['Mine', 'conflict'])
})
