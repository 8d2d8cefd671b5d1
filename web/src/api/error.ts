import type { components } from './schema'

export type Issue = components['schemas']['Issue']

/** What the server answered instead of what was asked for, or that it could not be reached (`_tag` is `Unreachable`). */
export class ApiError extends Error {
  readonly _tag: string
  readonly status: number
  readonly issues: Issue[]
  readonly requestId: string | undefined
  readonly body: unknown

  constructor(status: number, body: unknown, requestId?: string) {
    const said = (body ?? {}) as { _tag?: string; message?: string; issues?: Issue[] }
    super(said.message ?? 'The server gave no reason.')
    this.name = 'ApiError'
    this._tag = said._tag ?? (status === 0 ? 'Unreachable' : 'InternalError')
    this.status = status
    this.issues = said.issues ?? []
    this.requestId = requestId
    this.body = body
  }

  /** The first issue about a field, such as `['scheduledAt']`. */
  issueAt(...path: string[]): string | undefined {
    return this.issues.find(i => path.every((p, n) => i.path[n] === p))?.message
  }
}

export const unreachable = () =>
  new ApiError(0, { _tag: 'Unreachable', message: 'The server cannot be reached. Nothing is known to have changed.' })

/** What to show a person for anything that was thrown. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) {
    // The server's words name its own clock, in UTC.
    if (error.issueAt('scheduledAt')?.startsWith('must be at least')) {
      return 'Choose a time that is at least a minute from now and within 90 days.'
    }
    if (error.status === 412) return 'Somebody has changed it meanwhile. Look at it again.'
    const [first] = error.issues
    return first && !error.message.includes(first.message) ? `${error.message} ${first.message}` : error.message
  }
  return error instanceof Error ? error.message : String(error)
}
