// Sends one file in pieces and goes on where the server says, whatever breaks in between.
import { ApiError } from '../../api/error'

export type ServerUpload = { uploadId: string; nextByteStart: number; chunkSize: number }

export type Transport<Asset> = {
  create: (signal: AbortSignal) => Promise<ServerUpload>
  status: (uploadId: string, signal: AbortSignal) => Promise<ServerUpload>
  append: (
    upload: ServerUpload,
    range: { start: number; end: number; total: number },
    piece: Blob,
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ) => Promise<ServerUpload>
  complete: (uploadId: string, signal: AbortSignal) => Promise<Asset>
}

export type SendOptions<Asset> = {
  file: Blob
  /** Known from before a reload. */
  uploadId: string | null
  transport: Transport<Asset>
  onUpload: (upload: ServerUpload) => void
  onSent: (bytes: number) => void
  /** The line is lost; called again with false when it is back. */
  onOffline: (offline: boolean) => void
  /** Resolves after a while, or when the line is back. */
  wait: (failures: number, signal: AbortSignal) => Promise<void>
  signal: AbortSignal
}

const isLost = (e: unknown) => e instanceof ApiError && (e.status === 0 || e.status >= 500 || e.status === 429)
const isStatus = (e: unknown, status: number) => e instanceof ApiError && e.status === status

/** The asset that the file has become. Rejects when the server refuses the file, or when signal aborts. */
export async function sendFile<Asset>(options: SendOptions<Asset>): Promise<Asset> {
  const { signal, onOffline, wait } = options
  let failures = 0
  let restarts = 0
  let uploadId = options.uploadId
  for (;;) {
    signal.throwIfAborted()
    try {
      const upload = await open(options, uploadId)
      uploadId = upload.uploadId
      if (failures > 0) onOffline(false)
      await sendPieces(options, upload, () => {
        failures = 0
      })
      return await options.transport.complete(uploadId, signal)
    } catch (e) {
      signal.throwIfAborted()
      if (isStatus(e, 404) && uploadId && restarts < 2) {
        // The server has forgotten the upload, which it does after a day.
        restarts++
        uploadId = null
      } else if (isStatus(e, 409) && failures < 5) {
        failures++ // another tab or an answer that got lost: the server tells where to go on
      } else if (isLost(e)) {
        failures++
        onOffline(true)
        await wait(failures, signal)
      } else throw e
    }
  }
}

async function open<Asset>(o: SendOptions<Asset>, uploadId: string | null): Promise<ServerUpload> {
  const upload = uploadId ? await o.transport.status(uploadId, o.signal) : await o.transport.create(o.signal)
  o.onUpload(upload)
  o.onSent(upload.nextByteStart)
  return upload
}

async function sendPieces<Asset>(o: SendOptions<Asset>, upload: ServerUpload, stored: () => void) {
  const total = o.file.size
  let at = upload
  while (at.nextByteStart < total) {
    const start = at.nextByteStart
    const end = Math.min(start + at.chunkSize, total)
    const piece = o.file.slice(start, end)
    const next = await o.transport.append(at, { start, end, total }, piece, n => o.onSent(start + n), o.signal)
    at = { ...at, nextByteStart: next.nextByteStart }
    stored()
    o.onUpload(at)
    o.onSent(at.nextByteStart)
  }
}
