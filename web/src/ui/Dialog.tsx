import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react'
import { Button, ButtonRow, IconButton } from './Button'
import styles from './Dialog.module.css'
import { addModal, removeModal } from './modals'

/**
 * A question or a small form in front of the page: the platform's dialog, which keeps the focus and closes with Escape.
 * It lives as long as what draws it: rows of a list, which can leave it at any moment, open theirs with showDialog.
 * Without onClose neither Escape nor a cross closes it: only what it draws itself does.
 */
export function Dialog({
  title,
  onClose,
  children,
  footer,
  wide,
}: {
  title: ReactNode
  onClose?: () => void
  children: ReactNode
  footer?: ReactNode
  wide?: boolean
}) {
  const ref = useModal(':scope > div :is(input, select, textarea, button, a), :scope > footer button')
  const id = useId()
  // A file chooser or a dialog inside of this one ends with the same events, and React hands them up.
  const own = (act: (e: SyntheticEvent) => void) => (e: SyntheticEvent) => {
    if (e.target === e.currentTarget) act(e)
  }
  return (
    <dialog
      ref={ref}
      className={`${styles.dialog} ${wide ? styles.wide : ''}`}
      aria-labelledby={id}
      // Browsers obey a second Escape in a row whatever the page says to it.
      onClose={own(() => (onClose ? onClose() : ref.current?.showModal()))}
      onCancel={own(e => {
        e.preventDefault()
        onClose?.()
      })}
    >
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {onClose && <IconButton icon="cross" label="Close" onClick={onClose} />}
      </header>
      <div className={styles.body}>{children}</div>
      {footer && <footer className={styles.foot}>{footer}</footer>}
    </dialog>
  )
}

/**
 * Shows a dialog in front of everything. The focus goes to the first of what is selected, and back to where it was, or to
 * the page, when the dialog is gone.
 */
export function useModal(first: string) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    if (dialog && !dialog.open) {
      dialog.showModal()
      dialog.querySelector<HTMLElement>(first)?.focus()
    }
    if (dialog) addModal(dialog)
    return () => {
      if (dialog) removeModal(dialog)
      if (document.activeElement !== document.body && document.activeElement?.isConnected) return
      const back = before instanceof HTMLElement && before.isConnected && before !== document.body ? before : null
      const target = back ?? document.getElementById('main')
      target?.focus({ preventScroll: true })
    }
  }, [first])
  return ref
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  children,
  action,
  busy,
  disabled,
  onConfirm,
  onClose,
}: {
  title: ReactNode
  children: ReactNode
  /** What the button says: the deed itself, such as "Delete 3 posts". */
  action: string
  busy?: boolean
  /** Nothing can be decided yet. */
  disabled?: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button onClick={onClose}>Keep</Button>
          <Button kind="danger" busy={busy} disabled={disabled} onClick={onConfirm}>
            {action}
          </Button>
        </ButtonRow>
      }
    >
      {children}
    </Dialog>
  )
}
