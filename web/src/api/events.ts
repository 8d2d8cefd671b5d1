// One event stream for all tabs: the tab that holds the lock reads it and tells the others over a channel. Where there is
// no stream, what is on the screen is fetched again every 15 s and when the window comes to the front.
import { affected } from './affected'
import { ownHeaders } from './client'
import type { CrierEvent } from './extra'
import { queryClient } from './query'
import { eventStreamParser, type Message } from './sse'

/** live: changes come by themselves. polling: they are asked for. offline: the server cannot be reached. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline'

type Note = { kind: 'event'; event: CrierEvent } | { kind: 'state'; state: Connection } | { kind: 'caught-up' }

const pollEvery = 15_000
const mergeFor = 80
/**
 * A session has 600 requests a minute for all of its tabs. So while events keep coming, fetches begin a second apart after
 * the first few in ten seconds, and ten seconds apart in a tab that nobody sees.
 */
const atOnce = 5
const roundEvery = 1_000
const roundWindow = 10_000
/** How long a fetch is waited for before the next one takes its place. */
const roundAtMost = 5_000
const silenceAllowed = 40_000
const listeners = new Set<() => void>()
const eventListeners = new Set<(e: CrierEvent) => void>()
let connection: Connection = 'connecting'

export const getConnection = () => connection

export function subscribeConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Calls listener with every event, for pages that want more than fresh data. */
export function onEvent(listener: (e: CrierEvent) => void): () => void {
  eventListeners.add(listener)
  return () => eventListeners.delete(listener)
}

function setConnection(next: Connection) {
  if (connection === next) return
  connection = next
  for (const l of listeners) l()
}

let pending: CrierEvent[] = []
let flushing = false

/**
 * Events come in bursts when a post goes to many accounts, or many posts are due: one fetch serves them all. It is not
 * begun anew by the events that come meanwhile, or nothing would be shown until the burst is over: they have the next one.
 */
function receive(event: CrierEvent) {
  for (const l of eventListeners) l(event)
  pending.push(event)
  if (!flushing) flushLater()
  flushing = true
}

let nextFlush: ReturnType<typeof setTimeout> | undefined

function flushLater() {
  nextFlush = setTimeout(flush, pauseBefore(Date.now()))
}

/** A tab that is looked at again does not show what was true ten seconds ago. */
function flushWhenSeen() {
  if (document.visibilityState !== 'visible' || !nextFlush) return
  clearTimeout(nextFlush)
  flushLater()
}

/** When the latest fetches began. */
let rounds: number[] = []

/** How long the next fetch waits. */
function pauseBefore(now: number): number {
  rounds = rounds.filter(began => began > now - roundWindow)
  const last = rounds.at(-1)
  if (last === undefined) return mergeFor
  const hidden = globalThis.document?.visibilityState === 'hidden'
  const apart = hidden ? roundWindow : rounds.length < atOnce ? 0 : roundEvery
  return Math.max(mergeFor, last + apart - now)
}

async function flush() {
  const events = pending
  pending = []
  nextFlush = undefined
  rounds.push(Date.now())
  const fetched = affected(events).map(({ noun, scope }) =>
    // Keys without a team (posts by organization, context) are fetched for any event about their noun.
    queryClient.invalidateQueries({
      predicate: q =>
        q.queryKey[0] === noun && (scope === null || q.queryKey[1] === undefined || q.queryKey[1] === scope),
    }),
  )
  await Promise.race([Promise.allSettled(fetched), new Promise(resolve => setTimeout(resolve, roundAtMost))])
  if (pending.length === 0) flushing = false
  else flushLater()
}

/** What happened while nobody listened is not known: everything is fetched again. */
function catchUp() {
  queryClient.invalidateQueries({ predicate: q => q.queryKey[0] !== 'providers' && q.queryKey[0] !== 'instance' })
}

/**
 * Starts listening to an organization's events behind a cursor, which is older than all that is on the screen: what happens
 * between the reading of a page and the beginning of the stream is told too. The returned function stops.
 */
export function followEvents(organizationId: string, cursor: string): () => void {
  const stop = new AbortController()
  const channel = new BroadcastChannel(`crier-events-${organizationId}`)

  // What was told last; also by another tab, so that this one can go on from there when it is closed.
  const last = { id: cursor }

  const apply = (note: Note) => {
    if (note.kind === 'event') {
      last.id = note.event.id
      receive(note.event)
    } else if (note.kind === 'caught-up') catchUp()
    else setConnection(note.state)
  }
  const tell = (note: Note) => {
    apply(note)
    channel.postMessage(note)
  }
  channel.onmessage = ({ data }) => apply(data as Note)
  const poll = setInterval(() => {
    if (document.visibilityState !== 'visible') return
    // A stream tells of a change once: what could not be fetched then is asked for until it is there.
    if (connection === 'live') queryClient.refetchOutdated()
    else queryClient.refetchQueries({ type: 'active', stale: true })
  }, pollEvery)

  const online = () => queryClient.refetchQueries({ type: 'active' })
  const offline = () => setConnection('offline')
  addEventListener('online', online)
  addEventListener('offline', offline)
  addEventListener('visibilitychange', flushWhenSeen) // it bubbles from the document

  lead(`crier-events-${organizationId}`, stop.signal, () => readStream(organizationId, last, stop.signal, tell))
  return () => {
    stop.abort()
    clearInterval(poll)
    removeEventListener('online', online)
    removeEventListener('offline', offline)
    removeEventListener('visibilitychange', flushWhenSeen)
    channel.close()
  }
}

/** Runs work in one tab at a time. Locks exist on HTTPS and localhost only; without them every tab works for itself. */
function lead(name: string, signal: AbortSignal, work: () => Promise<void>) {
  if (!navigator.locks) {
    work()
    return
  }
  navigator.locks.request(name, { signal }, work).catch(() => {
    // Aborted while waiting for the lock: this tab stopped listening.
  })
}

/** Reads the stream until stopped, coming back after every loss. */
async function readStream(organizationId: string, last: { id: string }, signal: AbortSignal, tell: (n: Note) => void) {
  let failures = 0
  while (!signal.aborted) {
    try {
      const reached = await readOnce(
        organizationId,
        signal,
        last.id,
        () => {
          failures = 0
          tell({ kind: 'state', state: 'live' })
        },
        m => {
          last.id = m.id ?? last.id
          // The server no longer has all that happened since the last event that was seen.
          if (m.event === 'reset') tell({ kind: 'caught-up' })
          else tell({ kind: 'event', event: JSON.parse(m.data) as CrierEvent })
        },
      )
      if (!reached) {
        tell({ kind: 'state', state: 'polling' })
        await pause(60_000, signal)
        continue
      }
    } catch (e) {
      if (signal.aborted) return
      if (e === backOnline) continue
      failures++
      if (failures >= 2) tell({ kind: 'state', state: 'offline' })
    }
    await pause(Math.min(500 * 2 ** failures, 15_000) * (0.75 + Math.random() / 2), signal)
  }
}

/** The line was away: a connection from before may be dead without knowing it, so it is made anew. */
const backOnline = new Error('the line is back')

/** Reads one connection to its end. False: there is no stream here. */
async function readOnce(
  organizationId: string,
  signal: AbortSignal,
  lastId: string,
  opened: () => void,
  receiveMessage: (m: Message) => void,
): Promise<boolean> {
  const silence = new AbortController()
  const again = () => silence.abort(backOnline)
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceAllowed)
  }
  alive()
  addEventListener('online', again)
  try {
    const response = await fetch(`/v1/organizations/${organizationId}/events/stream`, {
      headers: { ...ownHeaders, Accept: 'text/event-stream', 'Last-Event-ID': lastId },
      credentials: 'same-origin',
      signal: AbortSignal.any([signal, silence.signal]),
    })
    const type = response.headers.get('Content-Type') ?? ''
    if (!response.ok || !response.body || !type.startsWith('text/event-stream')) {
      if (response.status >= 500) throw new Error(`the stream answered ${response.status}`)
      return false
    }
    opened()
    const parse = eventStreamParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return true
      alive()
      for (const m of parse(value)) receiveMessage(m)
    }
  } finally {
    clearTimeout(timer)
    removeEventListener('online', again)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done, { once: true })
    signal.addEventListener('abort', done, { once: true })
  })
}
