// All uploads of this browser. What is under way is remembered with the file's identity, and the file itself is kept where the
// browser allows it, so that a reload or a lost line costs nothing but time.
import { api, ask, newId, ownHeaders, type Schemas } from '../../api/client'
import { ApiError, unreachable } from '../../api/error'
import { dropFile, keepFile, keptFile } from './fileStore'
import { type ServerUpload, sendFile, type Transport } from './sendFile'

export type Asset = Schemas['Asset']

/** Remembered across reloads. */
export type UploadRecord = {
  key: string
  teamId: string
  folderId: string | null
  name: string
  size: number
  type: string
  lastModified: number
  uploadId: string | null
  nextByteStart: number
  /** The place in a draft that waits for it: the draft's name, the part's key, and the asset that it takes the place of. */
  owner: { draft: string; part: string; replaces?: string } | null
  asset: Asset | null
}

export type UploadState = 'waiting' | 'sending' | 'offline' | 'finishing' | 'done' | 'failed' | 'needs-file'

export type Upload = UploadRecord & { state: UploadState; sent: number; error?: unknown; preview?: string }

const storageName = 'crier-uploads'
const atOnce = 2

/** Whether a file is the one that an upload began with. */
export function isSameFile(record: Pick<UploadRecord, 'name' | 'size' | 'lastModified'>, file: File): boolean {
  return record.name === file.name && record.size === file.size && record.lastModified === file.lastModified
}

export function readRecords(text: string | null): UploadRecord[] {
  try {
    const list = JSON.parse(text ?? '[]') as UploadRecord[]
    return Array.isArray(list) ? list.filter(r => typeof r?.key === 'string' && typeof r.size === 'number') : []
  } catch {
    return []
  }
}

let uploads: Upload[] = []
const files = new Map<string, File>()
const stops = new Map<string, AbortController>()
const listeners = new Set<() => void>()
let restored = false

export const getUploads = () => uploads

export function subscribeUploads(listener: () => void): () => void {
  restoreUploads()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function set(next: Upload[], remember = true) {
  uploads = next
  if (remember) save()
  for (const l of listeners) l()
}

function save() {
  const records = uploads.map(({ state: _, sent: __, error: ___, preview: ____, ...record }) => record)
  try {
    localStorage.setItem(storageName, JSON.stringify(records))
  } catch {
    // Without storage an upload lives as long as its page.
  }
}

function change(key: string, patch: Partial<Upload>, remember = true) {
  set(
    uploads.map(u => (u.key === key ? { ...u, ...patch } : u)),
    remember,
  )
}

const find = (key: string) => uploads.find(u => u.key === key)

/** Begins to upload files; owner is who waits for them. */
export function addUploads(list: Iterable<File>, where: Pick<UploadRecord, 'teamId' | 'folderId' | 'owner'>): string[] {
  restoreUploads()
  const added = [...list].map((file): Upload => {
    const resumed = uploads.find(u => u.state === 'needs-file' && u.teamId === where.teamId && isSameFile(u, file))
    const key = resumed?.key ?? newId()
    files.set(key, file)
    keepFile(key, file)
    return {
      key,
      ...where,
      name: file.name,
      size: file.size,
      type: file.type,
      lastModified: file.lastModified,
      uploadId: resumed?.uploadId ?? null,
      nextByteStart: resumed?.nextByteStart ?? 0,
      asset: null,
      state: 'waiting',
      sent: resumed?.nextByteStart ?? 0,
      preview: /^image\/(?!svg)/.test(file.type) ? URL.createObjectURL(file) : undefined,
    }
  })
  const keys = added.map(u => u.key)
  set([...uploads.filter(u => !keys.includes(u.key)), ...added])
  next()
  return keys
}

/** Stops an upload, or forgets one that has ended. */
export function removeUpload(key: string) {
  stops.get(key)?.abort()
  const preview = find(key)?.preview
  if (preview) URL.revokeObjectURL(preview)
  files.delete(key)
  dropFile(key)
  set(uploads.filter(u => u.key !== key))
  next()
}

export function retryUpload(key: string) {
  change(key, { state: 'waiting', error: undefined })
  next()
}

/** A draft that was new has got its name. */
export function renameOwner(before: string, after: string) {
  set(uploads.map(u => (u.owner?.draft === before ? { ...u, owner: { ...u.owner, draft: after } } : u)))
}

function restoreUploads() {
  if (restored) return
  restored = true
  let text: string | null = null
  try {
    text = localStorage.getItem(storageName)
  } catch {
    return
  }
  const records = readRecords(text)
  uploads = records.map(r => ({ ...r, sent: r.nextByteStart, state: r.asset ? 'done' : 'waiting' }))
  for (const r of records) {
    if (r.asset) continue
    keptFile(r.key).then(file => {
      if (file) files.set(r.key, file)
      else if (find(r.key)?.state === 'waiting') change(r.key, { state: 'needs-file' })
      next()
    })
  }
}

function next() {
  const running = uploads.filter(u => stops.has(u.key)).length
  const ready = uploads.filter(u => u.state === 'waiting' && files.has(u.key) && !stops.has(u.key))
  for (const u of ready.slice(0, Math.max(0, atOnce - running))) run(u)
}

/** Two tabs remember the same uploads: the one that holds the lock sends. */
async function alone(key: string, signal: AbortSignal, work: () => Promise<void>) {
  if (navigator.locks) await navigator.locks.request(`crier-upload-${key}`, { signal }, work)
  else await work()
}

async function run(upload: Upload) {
  const { key } = upload
  const file = files.get(key)
  if (!file) return
  const stop = new AbortController()
  stops.set(key, stop)
  change(key, { state: 'sending', error: undefined })
  try {
    await alone(key, stop.signal, async () => {
      const asset = await sendFile({
        file,
        uploadId: find(key)?.uploadId ?? null,
        transport: transportFor(upload),
        signal: stop.signal,
        wait: waitForLine,
        onUpload: u => change(key, { uploadId: u.uploadId, nextByteStart: u.nextByteStart }),
        onSent: sent => change(key, { sent, state: sent >= file.size ? 'finishing' : 'sending' }, false),
        onOffline: offline => change(key, { state: offline ? 'offline' : 'sending' }, false),
      })
      change(key, { state: 'done', asset, sent: file.size })
      files.delete(key)
      dropFile(key)
    })
  } catch (error) {
    if (!stop.signal.aborted) change(key, { state: 'failed', error })
  } finally {
    stops.delete(key)
    next()
  }
}

/** 1, 2, 4 ... 30 s, or at once when the browser says that it is online again. */
function waitForLine(failures: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(1000 * 2 ** (failures - 1), 30_000))
    addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}

function transportFor(upload: UploadRecord): Transport<Asset> {
  const { teamId } = upload
  const path = (uploadId: string) => ({ params: { path: { teamId, uploadId } } })
  return {
    create: signal =>
      ask(
        api.POST('/v1/teams/{teamId}/assets/uploads', {
          params: { path: { teamId } },
          body: {
            fileName: upload.name,
            mimeType: upload.type || 'application/octet-stream',
            byteSize: upload.size,
            folderId: upload.folderId,
          },
          signal,
        }),
      ),
    status: (uploadId, signal) =>
      ask(api.GET('/v1/teams/{teamId}/assets/uploads/{uploadId}', { ...path(uploadId), signal })),
    append: (u, range, piece, onSent, signal) => putPiece(teamId, u, range, piece, onSent, signal),
    complete: (uploadId, signal) =>
      ask(api.POST('/v1/teams/{teamId}/assets/uploads/{uploadId}/complete', { ...path(uploadId), signal })),
  }
}

/** fetch tells nothing about how much it has sent; XMLHttpRequest does. */
function putPiece(
  teamId: string,
  upload: ServerUpload,
  range: { start: number; end: number; total: number },
  piece: Blob,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<ServerUpload> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', `/v1/teams/${teamId}/assets/uploads/${upload.uploadId}`)
    request.setRequestHeader('Content-Range', `bytes ${range.start}-${range.end - 1}/${range.total}`)
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    for (const [name, value] of Object.entries(ownHeaders)) request.setRequestHeader(name, value)
    request.responseType = 'json'
    request.timeout = 120_000
    request.upload.onprogress = e => onSent(e.loaded)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response as ServerUpload)
      else reject(new ApiError(request.status, request.response))
    }
    request.onerror = () => reject(unreachable())
    request.ontimeout = () => reject(unreachable())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(piece)
  })
}
