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
const newMemory = (): SaveMemory => ({ tags: [], creation: null })
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

it('repeats a creation whose answer was lost, and then brings it up to date', async () => {
  const calls = server('lost')
  const memory = newMemory()
  await expect(save('a', null, memory)).rejects.toMatchObject({ status: 0 })
  await save('ab', null, memory)
  expect(calls.map(c => c.method)).toEqual(['POST', 'POST', 'PATCH'])
  expect(calls[1]).toEqual(calls[0])
  expect(calls[2]?.body).toMatchObject({ postInput: { text: 'ab' } })
})

it('tells a refusal from what may pass', () => {
  const error = (status: number) => Object.assign(unreachable(), { status })
  expect([400, 403, 404, 412, 422].map(s => isRefusal(error(s)))).toEqual([true, true, true, true, true])
  expect([0, 408, 409, 429, 500, 503].some(s => isRefusal(error(s)))).toBe(false)
  expect(isRefusal(new Error('other'))).toBe(false)
})
