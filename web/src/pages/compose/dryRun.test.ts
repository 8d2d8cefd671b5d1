import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DryRun, type DryRunState } from './dryRun'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function setUp() {
  const asked: { body: string; signal: AbortSignal; answer: (r: string) => void; fail: (e: unknown) => void }[] = []
  const states: DryRunState<string>[] = []
  const run = new DryRun<string, string>({
    ask: (body, signal) => new Promise((answer, fail) => asked.push({ body, signal, answer, fail })),
    onState: s => states.push(s),
    mayPass: e => e === 'offline',
  })
  return { run, asked, states, last: () => states.at(-1) }
}

it('asks once, 300 ms after the last keystroke', async () => {
  const { run, asked } = setUp()
  for (const text of ['h', 'he', 'hel']) {
    run.want(text)
    await vi.advanceTimersByTimeAsync(299)
  }
  expect(asked).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(asked.map(a => a.body)).toEqual(['hel'])
})

it('never shows an answer to content that has changed since', async () => {
  const { run, asked, states, last } = setUp()
  run.want('old')
  await vi.advanceTimersByTimeAsync(300)
  run.want('new')
  expect(asked[0]?.signal.aborted).toBe(true)
  asked[0]?.answer('answer to old')
  await vi.advanceTimersByTimeAsync(300)
  asked[1]?.answer('answer to new')
  await vi.advanceTimersByTimeAsync(0)
  expect(states.some(s => s.result === 'answer to old')).toBe(false)
  expect(last()).toMatchObject({ result: 'answer to new', checking: false })
})

it('has no result while the newest content is being checked', async () => {
  const { run, asked, last } = setUp()
  run.want('one')
  await vi.advanceTimersByTimeAsync(300)
  asked[0]?.answer('first')
  await vi.advanceTimersByTimeAsync(0)
  run.want('two')
  expect(last()).toMatchObject({ result: null, last: 'first', checking: true })
})

it('asks nothing again for the same content', async () => {
  const { run, asked } = setUp()
  run.want('same')
  await vi.advanceTimersByTimeAsync(300)
  run.want('same')
  await vi.advanceTimersByTimeAsync(300)
  expect(asked).toHaveLength(1)
})

it('tells why it could not be checked', async () => {
  const { run, asked, last } = setUp()
  run.want('one')
  await vi.advanceTimersByTimeAsync(300)
  asked[0]?.fail('offline')
  await vi.advanceTimersByTimeAsync(0)
  expect(last()).toEqual({ result: null, last: null, error: 'offline', checking: false })
})

it('tries again by itself what may pass, and nothing that was refused', async () => {
  const { run, asked, last } = setUp()
  run.want('one')
  await vi.advanceTimersByTimeAsync(300)
  asked[0]?.fail('offline')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(last()).toMatchObject({ error: 'offline' })
  asked[1]?.answer('ready')
  await vi.advanceTimersByTimeAsync(0)
  expect(last()).toMatchObject({ result: 'ready', error: null })
  run.want('two')
  await vi.advanceTimersByTimeAsync(300)
  asked[2]?.fail('refused')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked.map(a => a.body)).toEqual(['one', 'one', 'two'])
})

it('tries nothing again once the content is another', async () => {
  const { run, asked } = setUp()
  run.want('one')
  await vi.advanceTimersByTimeAsync(300)
  asked[0]?.fail('offline')
  await vi.advanceTimersByTimeAsync(4_000)
  run.want('two')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked.map(a => a.body)).toEqual(['one', 'two'])
})

it('forgets everything when there is nothing to check', async () => {
  const { run, asked, last } = setUp()
  run.want('one')
  run.want(null as never)
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked).toHaveLength(0)
  expect(last()).toMatchObject({ result: null, checking: false })
})
