// Keeps a draft saved: after a rest, one request at a time, conditional on the version that it began with. When somebody
// else has saved in between, it stops and says so; it never overwrites.

export type Saved = { id: string; contentPayloadId: string }

/** What a save has come to. Behind: it only finished an earlier one, and the draft itself is still to be saved. */
export type Outcome = { saved: Saved; behind: boolean }

export type SaveState =
  | { kind: 'idle' }
  | { kind: 'waiting' }
  | { kind: 'saving' }
  | { kind: 'saved'; at: number }
  | { kind: 'failed'; error: unknown }
  | { kind: 'conflict' }

type Options<Draft> = {
  /** Creates the post when base is null; otherwise changes it if it is still at base. */
  save: (draft: Draft, base: Saved | null) => Promise<Outcome>
  /** Saves what is kept beside the content. When this fails, the content is saved all the same. */
  attach?: (draft: Draft, base: Saved) => Promise<void>
  isConflict: (error: unknown) => boolean
  /** Whether asking again gets the same answer: then only the next change, or the button, saves again. */
  isRefusal?: (error: unknown) => boolean
  onState: (state: SaveState, base: Saved | null) => void
  now: () => number
  restMillis?: number
  retryMillis?: number
}

export class Saver<Draft> {
  #options: Options<Draft>
  #base: Saved | null
  #pending: Draft | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | null = null
  #state: SaveState = { kind: 'idle' }
  #stopped = false

  constructor(base: Saved | null, options: Options<Draft>) {
    this.#base = base
    this.#options = options
  }

  get base() {
    return this.#base
  }

  get state() {
    return this.#state
  }

  get dirty() {
    return this.#pending !== null || this.#running !== null
  }

  change(draft: Draft) {
    this.#stopped = false
    this.#pending = draft
    if (this.#state.kind === 'conflict') return
    if (!this.#running && this.#state.kind !== 'waiting') this.#set({ kind: 'waiting' })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush().catch(() => {}), this.#options.restMillis ?? 1200)
  }

  /** Drops what waits to be saved. False: it is on its way or held back, and a change has to follow it. */
  forget(): boolean {
    if (this.#running || this.#state.kind === 'conflict') return false
    clearTimeout(this.#timer)
    this.#pending = null
    this.#set({ kind: 'idle' })
    return true
  }

  /** Saves now what is not saved yet; rejects when that fails. */
  async flush(): Promise<Saved | null> {
    clearTimeout(this.#timer)
    while (this.#running) await this.#running.catch(() => {})
    if (this.#state.kind === 'conflict') throw new Error('Somebody else has changed this draft.')
    if (this.#pending !== null) {
      this.#running = this.#save(this.#pending)
      try {
        await this.#running
      } finally {
        this.#running = null
      }
      if (this.#pending !== null) return this.flush()
    }
    return this.#base
  }

  /** The person has decided about a conflict: the next change stands on this version; null makes a post of its own. */
  resolve(base: Saved | null) {
    clearTimeout(this.#timer)
    this.#base = base
    this.#pending = null
    this.#set({ kind: 'idle' })
  }

  /** Holds back what is here and stands on base, as after an answer that somebody else has changed the draft. */
  hold(draft: Draft, base = this.#base) {
    clearTimeout(this.#timer)
    this.#base = base
    this.#pending = draft
    this.#set({ kind: 'conflict' })
  }

  /** Nobody looks at the draft any more: what is on its way is finished, and nothing is tried again by itself. */
  stop() {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #save(draft: Draft) {
    this.#set({ kind: 'saving' })
    this.#pending = null
    try {
      const { saved, behind } = await this.#options.save(draft, this.#base)
      this.#base = saved
      if (behind) {
        this.#pending ??= draft
        return
      }
      await this.#options.attach?.(draft, saved)
      this.#set({ kind: 'saved', at: this.#options.now() })
    } catch (error) {
      this.#pending ??= draft
      if (this.#options.isConflict(error)) this.#set({ kind: 'conflict' })
      else {
        this.#set({ kind: 'failed', error })
        this.#tryLater(error)
      }
      throw error
    }
  }

  #tryLater(error: unknown) {
    if (this.#stopped || this.#options.isRefusal?.(error)) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush().catch(() => {}), this.#options.retryMillis ?? 10_000)
  }

  #set(state: SaveState) {
    this.#state = state
    this.#options.onState(state, this.#base)
  }
}
