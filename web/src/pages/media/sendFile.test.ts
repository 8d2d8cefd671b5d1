import { expect, it, vi } from 'vitest'
import { ApiError, unreachable } from '../../api/error'
import { type SendOptions, type ServerUpload, sendFile, type Transport } from './sendFile'
import { isSameFile, readRecords } from './uploads'

/** A server that keeps bytes, and fails where the test wants it to. */
function server(chunkSize = 4) {
  const stored: string[] = []
  const uploads = new Map<string, number>()
  const faults: ((step: string) => unknown)[] = []
  const calls: string[] = []
  const fail = (step: string) => {
    calls.push(step)
    const error = faults[0]?.(step)
    if (error === undefined) return
    faults.shift()
    throw error
  }
  const state = (uploadId: string): ServerUpload => {
    const nextByteStart = uploads.get(uploadId)
    if (nextByteStart === undefined) throw new ApiError(404, { message: 'no such upload' })
    return { uploadId, nextByteStart, chunkSize }
  }
  const transport: Transport<string> = {
    create: async () => {
      fail('create')
      const uploadId = `u${uploads.size + 1}`
      uploads.set(uploadId, 0)
      stored.length = 0
      return state(uploadId)
    },
    status: async uploadId => {
      fail('status')
      return state(uploadId)
    },
    append: async (upload, range, piece) => {
      fail(`append ${range.start}`)
      if (state(upload.uploadId).nextByteStart !== range.start) throw new ApiError(409, { message: 'not there' })
      stored.push(await piece.text())
      uploads.set(upload.uploadId, range.end)
      fail(`answer ${range.start}`)
      return state(upload.uploadId)
    },
    complete: async uploadId => {
      fail('complete')
      return `asset of ${uploadId}`
    },
  }
  return { transport, stored, uploads, faults, calls }
}

const once = (at: string, error: unknown) => (step: string) => (step === at ? error : undefined)

function options(s: ReturnType<typeof server>, patch: Partial<SendOptions<string>> = {}): SendOptions<string> {
  return {
    file: new Blob(['0123456789']),
    uploadId: null,
    transport: s.transport,
    onUpload: () => {},
    onSent: () => {},
    onOffline: () => {},
    wait: async () => {},
    signal: new AbortController().signal,
    ...patch,
  }
}

it('sends a file in pieces and tells how far it is', async () => {
  const s = server()
  const sent: number[] = []
  await expect(sendFile(options(s, { onSent: n => sent.push(n) }))).resolves.toBe('asset of u1')
  expect(s.stored).toEqual(['0123', '4567', '89'])
  expect(sent).toEqual([0, 4, 8, 10])
})

it('goes on where the server says after the line was lost', async () => {
  const s = server()
  s.faults.push(once('append 4', unreachable()))
  const offline: boolean[] = []
  await sendFile(options(s, { onOffline: o => offline.push(o) }))
  expect(s.stored.join('')).toBe('0123456789')
  expect(offline).toEqual([true, false])
})

it('does not send a piece twice whose answer got lost', async () => {
  const s = server()
  s.faults.push(once('answer 4', unreachable()))
  await sendFile(options(s))
  expect(s.stored).toEqual(['0123', '4567', '89'])
})

it('goes on after a reload of the page with the upload that it knows', async () => {
  const s = server()
  s.uploads.set('u7', 8)
  await expect(sendFile(options(s, { uploadId: 'u7' }))).resolves.toBe('asset of u7')
  expect(s.stored).toEqual(['89'])
})

it('begins anew when the server has forgotten the upload', async () => {
  const s = server()
  await expect(sendFile(options(s, { uploadId: 'gone' }))).resolves.toBe('asset of u1')
  expect(s.stored.join('')).toBe('0123456789')
})

it('asks where to go on when another tab was faster', async () => {
  const s = server()
  s.faults.push(step => {
    if (step !== 'append 4') return undefined
    s.stored.push('4567')
    s.uploads.set('u1', 8)
    return new ApiError(409, { message: 'not there' })
  })
  await sendFile(options(s))
  expect(s.stored).toEqual(['0123', '4567', '89'])
})

it('gives up when the server refuses the file', async () => {
  const s = server()
  s.faults.push(once('append 0', new ApiError(400, { message: 'not a picture' })))
  await expect(sendFile(options(s))).rejects.toThrow('not a picture')
})

it('stops when it is canceled while the line is lost', async () => {
  const s = server()
  const stop = new AbortController()
  s.faults.push(once('create', unreachable()))
  const wait = vi.fn(async () => stop.abort())
  await expect(sendFile(options(s, { signal: stop.signal, wait }))).rejects.toThrow()
  expect(s.calls).toEqual(['create'])
})

it('completes an upload whose bytes are all there', async () => {
  const s = server()
  s.faults.push(once('complete', new ApiError(503, {})))
  await expect(sendFile(options(s))).resolves.toBe('asset of u1')
  expect(s.calls.filter(c => c === 'complete')).toHaveLength(2)
})

it('knows a file again by its name, size and time', () => {
  const file = new File(['abc'], 'cat.png', { lastModified: 5 })
  expect(isSameFile({ name: 'cat.png', size: 3, lastModified: 5 }, file)).toBe(true)
  expect(isSameFile({ name: 'cat.png', size: 3, lastModified: 6 }, file)).toBe(false)
})

it('reads nothing from damaged records', () => {
  expect(readRecords('nonsense')).toEqual([])
  expect(readRecords('{"a":1}')).toEqual([])
  expect(readRecords('[{"key":"k","size":1},{"size":2}]')).toHaveLength(1)
})
