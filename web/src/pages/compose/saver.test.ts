import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Saved, Saver, type SaveState } from './saver'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Call = {
  draft: string
  base: Saved | null
  done: (s: Saved, behind?: boolean) => void
  fail: (e: unknown) => void
}

function setUp(base: Saved | null = null, attach?: (draft: string, base: Saved) => Promise<void>) {
  const calls: Call[] = []
  const states: SaveState[] = []
  const saver = new Saver<string>(base, {
    save: (draft, before) =>
      new Promise((resolve, fail) => {
        const done = (saved: Saved, behind = false) => resolve({ saved, behind })
        calls.push({ draft, base: before, done, fail })
      }),
    attach,
    isConflict: e => e === 'conflict',
    isRefusal: e => e === 'refused',
    onState: s => states.push(s),
    now: () => 42,
  })
  return { saver, calls, states }
}

const version = (n: number): Saved => ({ id: 'p', contentPayloadId: `v${n}` })

it('saves once after a rest, and the next change on top of the version it made', async () => {
  const { saver, calls, states } = setUp()
  saver.change('a')
  saver.change('ab')
  await vi.advanceTimersByTimeAsync(1200)
  expect(calls.map(c => [c.draft, c.base])).toEqual([['ab', null]])
  calls[0]?.done(version(1))
  await vi.advanceTimersByTimeAsync(0)
  expect(states.at(-1)).toEqual({ kind: 'saved', at: 42 })
  saver.change('abc')
  await vi.advanceTimersByTimeAsync(1200)
  expect(calls[1]).toMatchObject({ draft: 'abc', base: version(1) })
})

it('runs one request at a time and saves what came in meanwhile afterwards', async () => {
  const { saver, calls } = setUp(version(1))
  saver.change('a')
  const flushed = saver.flush()
  saver.change('b')
  await vi.advanceTimersByTimeAsync(5000)
  expect(calls).toHaveLength(1)
  calls[0]?.done(version(2))
  await vi.advanceTimersByTimeAsync(0)
  expect(calls[1]).toMatchObject({ draft: 'b', base: version(2) })
  calls[1]?.done(version(3))
  await expect(flushed).resolves.toEqual(version(3))
  expect(saver.dirty).toBe(false)
})

it('stops at a conflict and sends nothing until the person has decided', async () => {
  const { saver, calls, states } = setUp(version(1))
  saver.change('mine')
  await vi.advanceTimersByTimeAsync(1200)
  calls[0]?.fail('conflict')
  await vi.advanceTimersByTimeAsync(0)
  expect(states.at(-1)).toEqual({ kind: 'conflict' })
  saver.change('mine, more')
  await vi.advanceTimersByTimeAsync(60_000)
  await expect(saver.flush()).rejects.toThrow('Somebody else')
  expect(calls).toHaveLength(1)
  saver.resolve(null)
  saver.change('mine, more')
  await vi.advanceTimersByTimeAsync(1200)
  expect(calls[1]).toMatchObject({ draft: 'mine, more', base: null })
})

it('tries again by itself after a lost line, with the newest draft', async () => {
  const { saver, calls, states } = setUp(version(1))
  saver.change('a')
  await vi.advanceTimersByTimeAsync(1200)
  calls[0]?.fail('offline')
  await vi.advanceTimersByTimeAsync(0)
  expect(states.at(-1)).toEqual({ kind: 'failed', error: 'offline' })
  expect(saver.dirty).toBe(true)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(calls[1]).toMatchObject({ draft: 'a', base: version(1) })
})

it('keeps the post that it made when what belongs to it fails, and makes no other', async () => {
  const attach = vi.fn().mockRejectedValueOnce('offline').mockResolvedValue(undefined)
  const { saver, calls, states } = setUp(null, attach)
  saver.change('a')
  await vi.advanceTimersByTimeAsync(1200)
  calls[0]?.done(version(1))
  await vi.advanceTimersByTimeAsync(0)
  expect(states.at(-1)).toEqual({ kind: 'failed', error: 'offline' })
  expect(saver.base).toEqual(version(1))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(calls[1]).toMatchObject({ draft: 'a', base: version(1) })
  calls[1]?.done(version(1))
  await vi.advanceTimersByTimeAsync(0)
  expect(states.at(-1)).toEqual({ kind: 'saved', at: 42 })
  expect(attach.mock.calls).toEqual([
    ['a', version(1)],
    ['a', version(1)],
  ])
})

it('does not repeat by itself what was refused, and saves the next change', async () => {
  const { saver, calls } = setUp(version(1))
  saver.change('a')
  await vi.advanceTimersByTimeAsync(1200)
  calls[0]?.fail('refused')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(calls).toHaveLength(1)
  saver.change('b')
  await vi.advanceTimersByTimeAsync(1200)
  expect(calls[1]).toMatchObject({ draft: 'b' })
})

it('tries nothing again after the page was left, until there is a change', async () => {
  const { saver, calls } = setUp(version(1))
  saver.change('a')
  saver.flush().catch(() => {}) // as on leaving
  saver.stop()
  calls[0]?.fail('offline')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(calls).toHaveLength(1)
  saver.change('b')
  await vi.advanceTimersByTimeAsync(1200)
  calls[1]?.fail('offline')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(calls).toHaveLength(3)
})

it('saves the draft on top of an earlier save that it had to finish first', async () => {
  const { saver, calls, states } = setUp(version(1))
  saver.change('ab')
  const flushed = saver.flush()
  calls[0]?.done(version(2), true)
  await vi.advanceTimersByTimeAsync(0)
  expect(calls[1]).toMatchObject({ draft: 'ab', base: version(2) })
  calls[1]?.done(version(3))
  await expect(flushed).resolves.toEqual(version(3))
  expect(states.map(s => s.kind)).toEqual(['waiting', 'saving', 'saving', 'saved'])
})

it('holds back a draft on the version that it began with, not on the one that it is in conflict with', async () => {
  const { saver, calls, states } = setUp(version(1))
  saver.resolve(version(2))
  saver.hold('mine', version(1))
  expect([saver.base, saver.dirty, states.at(-1)]).toEqual([version(1), true, { kind: 'conflict' }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(calls).toHaveLength(0)
})

it('forgets what waits, but not what is on its way or held back', async () => {
  const { saver, calls, states } = setUp(version(1))
  saver.change('a')
  expect(saver.forget()).toBe(true)
  await vi.advanceTimersByTimeAsync(5000)
  expect(calls).toHaveLength(0)
  expect(states.at(-1)).toEqual({ kind: 'idle' })
  saver.change('b')
  await vi.advanceTimersByTimeAsync(1200)
  expect(saver.forget()).toBe(false)
  calls[0]?.fail('conflict')
  await vi.advanceTimersByTimeAsync(0)
  expect(saver.forget()).toBe(false)
  expect(saver).toMatchObject({ dirty: true, state: { kind: 'conflict' } })
})
