import { QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from './error'
import { newQueryClient } from './query'

/** A server with one value, which answers when it is told to, with what was true when it was asked. */
function newServer() {
  const answers: (() => void)[] = []
  const server = {
    value: 'before',
    error: null as unknown,
    asked: 0,
    queryFn: ({ signal }: { signal: AbortSignal }) => {
      server.asked++
      const { value, error } = server
      return new Promise<string>((resolve, reject) => {
        answers.push(() => (error ? reject(error) : resolve(value)))
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    },
    answer: async () => {
      for (const a of answers.splice(0)) a()
      for (let n = 0; n < 10; n++) await Promise.resolve()
      await new Promise(done => setTimeout(done))
    },
  }
  return server
}

const queryKey = ['calendar', 'team']
const leave: (() => void)[] = []
afterEach(() => {
  for (const l of leave.splice(0)) l()
})

function newScreen() {
  const client = newQueryClient()
  const server = newServer()
  const show = () => {
    const observer = new QueryObserver(client, { queryKey, queryFn: server.queryFn, retry: false })
    const hide = observer.subscribe(() => {})
    leave.push(hide)
    return hide
  }
  return { client, server, show, shown: () => client.getQueryData(queryKey) }
}

test('a first fetch that began before a write is made again', async () => {
  const { client, server, show, shown } = newScreen()
  show()
  server.value = 'after'
  client.invalidateQueries({ queryKey })
  await server.answer()
  expect(shown()).toBe('after')
  expect(client.getQueryState(queryKey)).toMatchObject({ status: 'success', fetchStatus: 'idle', isInvalidated: false })
})

test('a fetch that began before a write is made again', async () => {
  const { client, server, show, shown } = newScreen()
  show()
  await server.answer()
  client.refetchQueries({ queryKey })
  server.value = 'after'
  client.invalidateQueries({ queryKey })
  await server.answer()
  expect(shown()).toBe('after')
})

test('a screen that was left while it fetched is fetched when it is shown again', async () => {
  const { client, server, show, shown } = newScreen()
  const hide = show()
  await server.answer()
  client.refetchQueries({ queryKey })
  hide()
  server.value = 'after'
  client.invalidateQueries({ queryKey })
  await server.answer()
  show()
  await server.answer()
  expect(shown()).toBe('after')
})

test('a fetch after a write that failed is repeated until it succeeds', async () => {
  const { client, server, show, shown } = newScreen()
  show()
  await server.answer()
  server.value = 'after'
  server.error = new ApiError(503, {})
  client.invalidateQueries({ queryKey })
  await server.answer()
  expect(shown()).toBe('before')
  server.error = null
  client.refetchOutdated()
  await server.answer()
  expect(shown()).toBe('after')
  const { asked } = server
  client.refetchOutdated()
  expect(server.asked, 'what is fresh is left alone').toBe(asked)
})

test('what was refused is not asked for again', async () => {
  const { client, server, show } = newScreen()
  show()
  await server.answer()
  server.error = new ApiError(403, {})
  client.invalidateQueries({ queryKey })
  await server.answer()
  const { asked } = server
  client.refetchOutdated()
  expect(server.asked).toBe(asked)
})
