import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Draft, emptyDraft, newPart } from './draft'
import { type Outcome, Saver } from './saver'
import { toSave } from './toSave'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const written = (text: string): Draft => ({ ...emptyDraft(), parts: [newPart(text)] })

/** Types into a draft that is saved as the composer saves it, against a server that answers when it is told to. */
function setUp(text: string | null) {
  const sent: string[] = []
  const answers: (() => void)[] = []
  let saved = text === null ? emptyDraft() : written(text)
  const saver = new Saver<Draft>(text === null ? null : { id: 'p', contentPayloadId: 'v0' }, {
    save: async draft => {
      sent.push(draft.parts[0]?.text ?? '')
      await new Promise<void>(done => answers.push(done))
      saved = draft
      return { saved: { id: 'p', contentPayloadId: `v${sent.length}` }, behind: false } satisfies Outcome
    },
    isConflict: () => false,
    onState: () => {},
    now: () => 0,
  })
  const type = (next: string) => {
    const draft = written(next)
    const what = toSave(draft, { saved, exists: saver.base !== null, dirty: saver.dirty })
    if (what === 'save' || (what === 'forget' && !saver.forget())) saver.change(draft)
  }
  const rest = () => vi.advanceTimersByTimeAsync(1200)
  const answer = async () => {
    answers.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { type, rest, answer, saver, sent }
}

it('leaves the server with what is seen when something was taken back before it was saved', async () => {
  const { type, rest, answer, sent } = setUp('Hello')
  type('Hello, wrong')
  type('Hello')
  await rest()
  await answer()
  expect(sent.at(-1) ?? 'Hello').toBe('Hello')
  expect(sent).not.toContain('Hello, wrong')
})

it('takes back what is on its way', async () => {
  const { type, rest, answer, saver, sent } = setUp('Hello')
  type('Hello, wrong')
  await rest()
  type('Hello')
  await answer()
  await rest()
  await answer()
  expect(sent).toEqual(['Hello, wrong', 'Hello'])
  expect(saver.dirty).toBe(false)
})

it('makes no post of what was deleted before it became one', async () => {
  const { type, rest, saver, sent } = setUp(null)
  type('Nothing of it')
  type('')
  await rest()
  expect(sent).toEqual([])
  expect(saver).toMatchObject({ dirty: false, state: { kind: 'idle' } })
})

it('empties a post that became one meanwhile', async () => {
  const { type, rest, answer, sent } = setUp(null)
  type('Nothing of it')
  await rest()
  type('')
  await answer()
  await rest()
  await answer()
  expect(sent).toEqual(['Nothing of it', ''])
})

it('has nothing to save while nothing differs', () => {
  const saved = written('Hello')
  expect(toSave(written('Hello'), { saved, exists: true, dirty: false })).toBe('nothing')
  expect(toSave(emptyDraft(), { saved: emptyDraft(), exists: false, dirty: false })).toBe('nothing')
  expect(toSave(written(''), { saved, exists: true, dirty: false })).toBe('save')
})
