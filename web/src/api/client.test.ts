import { afterEach, expect, test, vi } from 'vitest'
import { api, ask } from './client'
import { ApiError, explain } from './error'

const baseUrl = 'http://crier.test'

/** A server that never answers, and a clock that is moved by hand: timeouts pass when they are told to. */
function newSilence() {
  const timeouts: { ms: number; pass: () => void }[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
    const stop = new AbortController()
    timeouts.push({ ms, pass: () => stop.abort(new DOMException('It took too long', 'TimeoutError')) })
    return stop.signal
  })
  const asked = vi.fn(
    ({ signal }: Request) =>
      new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  vi.stubGlobal('fetch', asked)
  return { timeouts, asked }
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('a read that is not answered in 30 seconds is given up as a server that is away, which is asked again', async () => {
  const { timeouts } = newSilence()
  const read = ask(api.GET('/v1/instance', { baseUrl }))
  await vi.waitUntil(() => timeouts.length > 0)
  expect(timeouts.map(t => t.ms)).toEqual([30_000])
  timeouts[0]?.pass()
  const error = await read.catch(e => e)
  expect(error).toBeInstanceOf(ApiError)
  expect(error.status).toBe(0)
})

test('a read that its page has left ends as one', async () => {
  const { asked } = newSilence()
  const leaving = new AbortController()
  const read = ask(api.GET('/v1/instance', { baseUrl, signal: leaving.signal }))
  await vi.waitUntil(() => asked.mock.calls.length > 0)
  leaving.abort()
  await expect(read).rejects.toMatchObject({ name: 'AbortError' })
})

test('a write is never given up: it may have been done', async () => {
  const { timeouts, asked } = newSilence()
  const leaving = new AbortController()
  const write = ask(
    api.POST('/v1/teams/{teamId}/posts', {
      baseUrl,
      params: { path: { teamId: 't' } },
      body: { text: 'Hello' },
      signal: leaving.signal,
    }),
  )
  await vi.waitUntil(() => asked.mock.calls.length > 0)
  expect(timeouts).toEqual([])
  leaving.abort()
  await expect(write).rejects.toMatchObject({ name: 'AbortError' })
})

test('a time that is over is explained without the words of the interface', () => {
  const message =
    "must be at least 60 seconds in the future and within 90 days; the server's time is 2026-11-19T05:23:56Z"
  const body = {
    message: `The request is not valid. scheduledAt: ${message}`,
    issues: [{ path: ['scheduledAt'], message }],
  }
  expect(explain(new ApiError(400, body))).toBe('Choose a time that is at least a minute from now and within 90 days.')
})
