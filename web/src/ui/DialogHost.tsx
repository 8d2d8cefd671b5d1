import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Confirm } from './Dialog'
import { closeAllDialogs, closeDialog, openDialogs, showDialog, subscribeDialogs } from './dialogs'

/** Where dialogs of showDialog are drawn, beside the page. There is one, in the shell; page is where the person is. */
export function DialogHost({ page }: { page: string }) {
  const open = useSyncExternalStore(subscribeDialogs, openDialogs)
  const before = useRef(page)
  useEffect(() => {
    if (before.current !== page) closeAllDialogs()
    before.current = page
  }, [page])
  return open.map(d => <Drawn key={d.id} draw={d.draw} close={() => closeDialog(d.id)} />)
}

function Drawn({ draw, close }: { draw: (close: () => void) => ReactNode; close: () => void }) {
  return draw(close)
}

/** Asks before something that cannot be taken back, and does it. The question closes when the deed is done or refused. */
export function askFirst({
  title,
  text,
  action,
  run,
}: {
  title: ReactNode
  text: ReactNode
  /** What the button says: the deed itself, such as "Delete 3 posts". */
  action: string
  run: () => Promise<unknown>
}): void {
  showDialog(close => <Asked title={title} text={text} action={action} run={run} onClose={close} />)
}

function Asked({
  title,
  text,
  action,
  run,
  onClose,
}: {
  title: ReactNode
  text: ReactNode
  action: string
  run: () => Promise<unknown>
  onClose: () => void
}) {
  const [busy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    try {
      await run()
    } finally {
      onClose()
    }
  }
  return (
    <Confirm title={title} action={action} busy={busy} onConfirm={confirm} onClose={onClose}>
      <p>{text}</p>
    </Confirm>
  )
}
