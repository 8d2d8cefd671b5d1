// Tries out content while it is being written: after a rest, one request at a time, and only the newest answer counts.

export type DryRunState<Result> = {
  /** The answer to the newest content; null while it is on its way, so that nothing old is taken for it. */
  result: Result | null
  /** The last answer there was, for places that would jump if they were empty; drawn as old. */
  last: Result | null
  error: unknown
  checking: boolean
}

type Options<Body, Result> = {
  ask: (body: Body, signal: AbortSignal) => Promise<Result>
  onState: (state: DryRunState<Result>) => void
  /** Whether an error may be over after a while, as when the server is away: then the same content is tried again. */
  mayPass?: (error: unknown) => boolean
  restMillis?: number
  retryMillis?: number
}

export class DryRun<Body, Result> {
  #options: Options<Body, Result>
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: AbortController | undefined
  #asked = ''
  #state: DryRunState<Result> = { result: null, last: null, error: null, checking: false }

  constructor(options: Options<Body, Result>) {
    this.#options = options
  }

  /** The content has become this; the same content again changes nothing. */
  want(body: Body | null, again = false) {
    const text = JSON.stringify(body)
    if (text === this.#asked && !again) return
    this.#asked = text
    this.stop()
    if (body === null) {
      this.#set({ result: null, last: null, error: null, checking: false })
      return
    }
    // Said once: whoever types on is not drawn for every key.
    const { result, error, checking } = this.#state
    if (result !== null || error !== null || !checking) {
      this.#set({ ...this.#state, result: null, error: null, checking: true })
    }
    this.#timer = setTimeout(() => this.#run(body), this.#options.restMillis ?? 300)
  }

  stop() {
    clearTimeout(this.#timer)
    this.#running?.abort()
    this.#running = undefined
  }

  async #run(body: Body) {
    const mine = new AbortController()
    this.#running = mine
    try {
      const result = await this.#options.ask(body, mine.signal)
      if (this.#running === mine) this.#set({ result, last: result, error: null, checking: false })
    } catch (error) {
      if (this.#running !== mine) return
      this.#set({ result: null, last: null, error, checking: false })
      if (!this.#options.mayPass?.(error)) return
      this.#timer = setTimeout(() => this.#run(body), this.#options.retryMillis ?? 5_000)
    }
  }

  #set(state: DryRunState<Result>) {
    this.#state = state
    this.#options.onState(state)
  }
}
