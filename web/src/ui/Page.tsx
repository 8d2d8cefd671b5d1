import { type ReactNode, useEffect } from 'react'
import styles from './Page.module.css'

/** The frame of a page: its title, what can be done on it, and its content. */
export function Page({
  title,
  actions,
  children,
  wide,
  fill,
  note,
}: {
  title: string
  /** Beside the title: the page's buttons. */
  actions?: ReactNode
  /** Below the title, in small print. */
  note?: ReactNode
  /** Uses the whole width; text pages keep to a readable one. */
  wide?: boolean
  /** Takes the height of the window; what is inside scrolls by itself. */
  fill?: boolean
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · crier`
  }, [title])
  return (
    <div className={`${styles.page} ${wide ? styles.wide : ''} ${fill ? styles.fill : ''}`}>
      <header className={styles.head}>
        <div className={styles.title}>
          <h1>{title}</h1>
          {note && <p className={styles.note}>{note}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
