import type { ReactNode } from 'react'
import { ApiError, explain } from '../api/error'
import { Button } from './Button'
import { Icon, type IconName } from './Icon'
import styles from './State.module.css'

/** A list without anything in it: why, and what to do about it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className={styles.state}>
      {icon && <Icon name={icon} size={32} />}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

/** Data is on its way. Drawn late, so that fast answers do not flicker. */
export function LoadingState({ label = 'Loading' }: { label?: string }) {
  return (
    <div className={`${styles.state} ${styles.loading}`} role="status">
      <span className={styles.dots} aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span>{label}…</span>
    </div>
  )
}

/** Data could not be had: the reason in the server's words, and a way to try again. */
export function ErrorState({
  error,
  retry,
  title = 'This could not be loaded',
}: {
  error: unknown
  retry?: () => void
  title?: string
}) {
  const id = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined
  return (
    <div className={styles.state} role="alert">
      <Icon name="attention" size={32} />
      <h2>{title}</h2>
      <p>{explain(error)}</p>
      {id && (
        <p className={styles.id}>
          Request <code>{id}</code>
        </p>
      )}
      {retry && (
        <Button icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

type Asked<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown }

/** Draws what a query has, or that it is loading, or why it failed. */
export function Loaded<T>({
  query,
  label,
  children,
}: {
  query: Asked<T>
  label?: string
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorState error={query.error} retry={() => query.refetch()} />
  return <LoadingState label={label} />
}
