import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followEvents, getConnection, onEvent } from './events'

// streams are the connections that were asked for: what each began behind, and how to say something on it.
type Stream = { path: string; behind: string | null; say: (text: string) => void; end: () => void }
let streams: Stream[]
const stream = (i: number) => streams[i] as Stream

beforeEach(() => {
  streams = []
  vi.useFakeTimers()
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
  vi.stubGlobal('navigator', {}) // without locks: this tab reads the stream
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    streams.push({
      path,
      behind: new Headers(init.headers).get('Last-Event-ID'),
      say: text => writer.write(new TextEncoder().encode(text)),
      end: () => writer.close(),
    })
    return new Response(readable, { headers: { 'Content-Type': 'text/event-stream' } })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const message = (id: string) => `id: ${id}\nevent: post.updated\ndata: {"id":"${id}","type":"post.updated"}\n\n`

it('begins behind the cursor that the page was read with, and goes on behind the last event', async () => {
  const told: string[] = []
  const silent = onEvent(e => told.push(e.id))
  const stop = followEvents('o1', 'at-the-page')
  await vi.waitFor(() => expect(getConnection()).toBe('live'))
  expect(streams.map(s => [s.path, s.behind])).toEqual([['/v1/organizations/o1/events/stream', 'at-the-page']])

  stream(0).say(message('e1') + message('e2'))
  await vi.waitFor(() => expect(told).toEqual(['e1', 'e2']))
  stream(0).end()
  await vi.waitFor(() => expect(streams).toHaveLength(2))
  expect(stream(1).behind).toBe('e2')

  // A stream that ends without a word is begun at the same place again.
  stream(1).end()
  await vi.waitFor(() => expect(streams).toHaveLength(3))
  expect(stream(2).behind).toBe('e2')
  stop()
  silent()
})

it('goes on behind what another tab has told', async () => {
  const stop = followEvents('o2', 'at-the-page')
  await vi.waitFor(() => expect(streams).toHaveLength(1))
  const told: string[] = []
  const silent = onEvent(e => told.push(e.id))
  const other = new BroadcastChannel('crier-events-o2')
  other.postMessage({ kind: 'event', event: { id: 'e9', type: 'post.updated' } })
  await vi.waitFor(() => expect(told).toEqual(['e9']))
  stream(0).end()
  await vi.waitFor(() => expect(streams).toHaveLength(2))
  expect(stream(1).behind).toBe('e9')
  other.close()
  stop()
  silent()
})

it('lets a fetch end while events keep coming, and begins the next one after a pause', async () => {
  const { queryClient } = await import('./query')
  await vi.advanceTimersByTimeAsync(60_000) // away from the fetches of the tests before
  let under = 0
  let ended = 0
  let begun = 0
  vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(async () => {
    begun++
    under++
    await new Promise(resolve => setTimeout(resolve, 120))
    under--
    ended++
  })
  const stop = followEvents('o3', 'at-the-page')
  await vi.waitFor(() => expect(streams).toHaveLength(1))
  for (let i = 0; i < 80; i++) {
    stream(0).say('id: e\nevent: slot.updated\ndata: {"id":"e","type":"asset.updated","teamId":"t"}\n\n')
    await vi.advanceTimersByTimeAsync(50)
    expect(under).toBeLessThanOrEqual(1)
  }
  // Four seconds of events: five fetches, one after the other, then one a second.
  expect(begun).toBeGreaterThanOrEqual(7)
  expect(begun).toBeLessThanOrEqual(8)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(ended).toBe(begun)
  const before = begun
  await vi.advanceTimersByTimeAsync(5_000)
  expect(begun).toBe(before)
  stop()
})

it('does not wait for a fetch that hangs', async () => {
  const { queryClient } = await import('./query')
  await vi.advanceTimersByTimeAsync(120_000)
  const begun: number[] = []
  const start = Date.now()
  vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(() => {
    begun.push(Date.now() - start)
    return new Promise(() => {})
  })
  const stop = followEvents('o4', 'at-the-page')
  await vi.waitFor(() => expect(streams).toHaveLength(1))
  for (let i = 0; i < 12; i++) {
    stream(0).say('id: e\nevent: slot.updated\ndata: {"id":"e","type":"asset.updated","teamId":"t"}\n\n')
    await vi.advanceTimersByTimeAsync(500)
  }
  expect(begun.length).toBe(2)
  stop()
})
