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
