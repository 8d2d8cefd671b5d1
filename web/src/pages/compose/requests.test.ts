import { afterEach, expect, it, vi } from 'vitest'
import { api } from '../../api/client'
import { unreachable } from '../../api/error'
import { type Draft, emptyDraft, newPart } from './draft'
import { isRefusal, type SaveMemory, saveContent, saveTags } from './requests'

type Call = { method: string; headers: Record<string, string>; body: unknown }
type Reply = { status: number; body?: unknown } | 'lost'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A server that answers what the test says, in turn; after that, with success. */
function server(...replies: Reply[]) {
  const calls: Call[] = []
  const answer = (method: string) => async (_: unknown, init: Partial<Call>) => {
    calls.push({ method, headers: init.headers ?? {}, body: init.body })
    const reply = replies.shift() ?? { status: 200, body: post(calls.length) }
    if (reply === 'lost') throw new TypeError('fetch failed')
    const response = new Response(null, { status: reply.status })
    return response.ok ? { data: reply.body, response } : { error: reply.body, response }
  }
  for (const method of ['POST', 'PATCH', 'PUT'] as const)
    vi.spyOn(api, method).mockImplementation(answer(method) as never)
  return calls
}

const post = (version: number) => ({ id: 'p', contentPayloadId: `v${version}` })
const draftOf = (text: string): Draft => ({ ...emptyDraft(), parts: [newPart(text)] })
const newMemory = (): SaveMemory => ({ tags: [], sent: null })
const save = (text: string, base: { id: string; contentPayloadId: string } | null, memory: SaveMemory) =>
  saveContent('t', draftOf(text), base, memory, () => {})

const unknownTag = (place: number): Reply => ({
  status: 400,
  body: { message: 'No.', issues: [{ path: ['tagIds', `${place}`], message: 'there is no tag b in this team' }] },
})

it('leaves out tags that are gone, and says which', async () => {
  const calls = server(unknownTag(1))
  const memory = newMemory()
  expect(await saveTags('t', 'p', ['a', 'b'], memory)).toEqual(['b'])
  expect(calls.map(c => c.body)).toEqual([{ tagIds: ['a', 'b'] }, { tagIds: ['a'] }])
  expect(memory.tags).toEqual(['a'])
})

it('asks no more when the only tag is gone', async () => {
  const calls = server(unknownTag(0))
  expect(await saveTags('t', 'p', ['b'], newMemory())).toEqual(['b'])
  expect(calls).toHaveLength(1)
})

it('keeps tags whose saving failed for another reason', async () => {
  server({ status: 500 }, { status: 400, body: { issues: [] } })
  const memory = newMemory()
  await expect(saveTags('t', 'p', ['a'], memory)).rejects.toMatchObject({ status: 500 })
  await expect(saveTags('t', 'p', ['a'], memory)).rejects.toMatchObject({ status: 400 })
  expect(memory.tags).toEqual([])
})

it('repeats a creation whose answer was lost, and says that the draft is ahead of it', async () => {
  const calls = server('lost')
  const memory = newMemory()
  await expect(save('a', null, memory)).rejects.toMatchObject({ status: 0 })
  expect(await save('ab', null, memory)).toEqual({ saved: post(2), behind: true })
  expect(calls.map(c => c.method)).toEqual(['POST', 'POST'])
  expect(calls[1]).toEqual(calls[0])
  expect(await save('ab', post(2), memory)).toEqual({ saved: post(3), behind: false })
  expect(calls[2]).toMatchObject({ method: 'PATCH', body: { postInput: { text: 'ab' } } })
})

it('repeats a change whose answer was lost as it was, so that it is no conflict with oneself', async () => {
  const calls = server('lost', 'lost')
  const memory = newMemory()
  await expect(save('a', post(1), memory)).rejects.toMatchObject({ status: 0 })
  await expect(save('a', post(1), memory)).rejects.toMatchObject({ status: 0 })
  expect(await save('ab', post(1), memory)).toEqual({ saved: post(3), behind: true })
  expect(calls[0]?.headers).toMatchObject({ 'If-Match': '"v1"', 'Idempotency-Key': expect.any(String) })
  expect([calls[1], calls[2]]).toEqual([calls[0], calls[0]])
  expect(memory.sent).toBeNull()
})

it('gives every save a key of its own', async () => {
  const calls = server()
  const memory = newMemory()
  for (const text of ['a', 'b', 'a']) await save(text, post(1), memory)
  expect(new Set(calls.map(c => c.headers['Idempotency-Key'])).size).toBe(3)
})

it('forgets a lost save when the draft stands on another version by now', async () => {
  const calls = server('lost')
  const memory = newMemory()
  await save('a', post(1), memory).catch(() => {})
  expect(await save('mine', post(7), memory)).toMatchObject({ behind: false })
  expect(calls[1]).toMatchObject({ headers: { 'If-Match': '"v7"' }, body: { postInput: { text: 'mine' } } })
})

it('goes on with the newest draft when what was lost is refused', async () => {
  const calls = server('lost', { status: 400 })
  const memory = newMemory()
  await save('bad', null, memory).catch(() => {})
  expect(await save('good', null, memory)).toEqual({ saved: post(3), behind: false })
  expect(calls[2]).toMatchObject({ method: 'POST', body: { postInput: { text: 'good' } } })
  expect(calls[2]?.headers).not.toEqual(calls[1]?.headers)
})

it('is a conflict when what was lost meets a newer version', async () => {
  const calls = server('lost', { status: 412 })
  const memory = newMemory()
  await save('a', post(1), memory).catch(() => {})
  await expect(save('ab', post(1), memory)).rejects.toMatchObject({ status: 412 })
  expect(calls).toHaveLength(2)
})

it('does not hold on to a creation that was refused', async () => {
  const calls = server({ status: 400 })
  const memory = newMemory()
  await expect(save('bad', null, memory)).rejects.toMatchObject({ status: 400 })
  await save('good', null, memory)
  expect(calls[1]).toMatchObject({ body: { postInput: { text: 'good' } } })
})

it('tells a refusal from what may pass', () => {
  const error = (status: number) => Object.assign(unreachable(), { status })
  expect([400, 403, 404, 412, 422].map(s => isRefusal(error(s)))).toEqual([true, true, true, true, true])
  expect([0, 408, 409, 429, 500, 503].some(s => isRefusal(error(s)))).toBe(false)
  expect(isRefusal(new Error('other'))).toBe(false)
})
