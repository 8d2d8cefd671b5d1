import createClient from 'openapi-fetch'
import { ApiError, unreachable } from './error'
import { key, queryClient } from './query'
import type { components, paths } from './schema'

export type Schemas = components['schemas']

/** Marks a request as ours: a page of another origin cannot send it without asking first. */
export const ownHeaders = { 'X-Crier-Request': '1' }

/** The interface, typed by the OpenAPI document. Use it inside `ask`. */
export const api = createClient<paths>({
  baseUrl: '',
  credentials: 'same-origin',
  headers: ownHeaders,
  querySerializer: { array: { style: 'form', explode: false } },
  fetch: request => fetch(request.method === 'GET' ? withTimeout(request) : request),
})

/** A read that is not answered is given up and asked again: it would keep its page as it was. A write goes on. */
const readTimeout = 30_000

function withTimeout(request: Request): Request {
  return new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(readTimeout)]) })
}

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The data of an answer; throws ApiError for everything else, and sends to sign-in when the session has ended. */
export async function ask<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>
  try {
    answer = await call
  } catch (e) {
    if (e instanceof DOMException && e.name === 'AbortError') throw e
    throw unreachable()
  }
  const { response } = answer
  if (response.status === 401) signIn()
  if (!response.ok) {
    throw new ApiError(response.status, answer.error, response.headers.get('X-Request-Id') ?? undefined)
  }
  return answer.data as T
}

/**
 * Sends the person to sign in, and back here afterwards. The page there says why it is asked for when they had been in: a
 * browser forgets the cookie of a session that has expired, so nobody else knows.
 */
export function signIn() {
  const next = location.pathname + location.search + location.hash
  const hadBeenIn = queryClient.getQueryData(key('context')) !== undefined
  location.assign(`/sign-in?next=${encodeURIComponent(next)}${hadBeenIn ? '&ended' : ''}`)
}

/** A key for one intent: sent again with it, a request has its effect once. */
export const newIdempotencyKey = () => ({ 'Idempotency-Key': newId() })

/** A random id; crypto.randomUUID exists only on HTTPS and localhost. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('')
}
