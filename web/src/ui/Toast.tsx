import { useEffect, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { newId } from '../api/client'
import { explain } from '../api/error'
import { Button, IconButton } from './Button'
import { Icon } from './Icon'
import { frontModal, subscribeModals } from './modals'
import styles from './Toast.module.css'

export type Toast = {
  id: string
  text: string
  tone: 'plain' | 'bad'
  /** What can be done about it, most often "Undo". */
  action?: { label: string; run: () => void | Promise<void> }
}

const shownFor = { plain: 10_000, bad: 20_000 }
let toasts: Toast[] = []
const listeners = new Set<() => void>()

function set(next: Toast[]) {
  toasts = next
  for (const l of listeners) l()
}

const remove = (id: string) => set(toasts.filter(t => t.id !== id))

/** Says that something is done; undo takes it back. There is one undo at a time, that of the newest. */
export function toast(text: string, undo?: () => void | Promise<void>) {
  set([
    ...toasts.filter(t => t.tone === 'bad' || !t.action).slice(-2),
    { id: newId(), text, tone: 'plain', action: undo && { label: 'Undo', run: undo } },
  ])
}

/**
 * Takes the undo of what came before away: called as the next change begins, so that an undo in haste does not take back
 * something else while that change is on its way.
 */
export function endUndo() {
  set(toasts.filter(t => t.action?.label !== 'Undo'))
}

/** Says that something could not be done, in the server's words, with a way to try again. */
export function toastError(what: string, error: unknown, retry?: () => void) {
  const text = `${what}: ${explain(error)}`
  set([...toasts.slice(-2), { id: newId(), text, tone: 'bad', action: retry && { label: 'Try again', run: retry } }])
}

/** Takes the newest undo, for the key. */
export function undoLast(): boolean {
  const last = toasts.findLast(t => t.action?.label === 'Undo')
  if (!last) return false
  remove(last.id)
  last.action?.run()
  return true
}

function One({ toast: t }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => remove(t.id), shownFor[t.tone])
    return () => clearTimeout(timer)
  }, [t])
  return (
    <div className={`${styles.toast} ${t.tone === 'bad' ? styles.bad : ''}`}>
      <Icon name={t.tone === 'bad' ? 'attention' : 'check'} size={18} />
      <span className={styles.text}>{t.text}</span>
      {t.action && (
        <Button
          size="small"
          icon={t.action.label === 'Undo' ? 'undo' : 'refresh'}
          onClick={() => {
            remove(t.id)
            t.action?.run()
          }}
        >
          {t.action.label}
        </Button>
      )}
      <IconButton size="small" icon="cross" label="Dismiss" onClick={() => remove(t.id)} />
    </div>
  )
}

function Region({ shown }: { shown: Toast[] }) {
  return (
    <div className={styles.region}>
      {shown.map(t => (
        <One key={t.id} toast={t} />
      ))}
    </div>
  )
}

/**
 * Where toasts appear; read aloud as they come. There is one, in the shell. While a dialog is open they appear in it: what
 * is behind it can neither be pressed nor heard.
 */
export function ToastRegion() {
  const modal = useSyncExternalStore(subscribeModals, frontModal)
  const shown = useSyncExternalStore(
    l => {
      listeners.add(l)
      return () => listeners.delete(l)
    },
    () => toasts,
  )
  return (
    <>
      <section aria-label="Notifications" aria-live="polite" aria-relevant="additions">
        <Region shown={modal ? [] : shown} />
      </section>
      {modal &&
        createPortal(
          <div aria-live="polite" aria-relevant="additions">
            <Region shown={shown} />
          </div>,
          modal,
        )}
    </>
  )
}
