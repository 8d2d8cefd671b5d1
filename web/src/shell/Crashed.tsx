import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { buttonClass } from '../ui/Button'
import { Page } from '../ui/Page'
import { EmptyState, ErrorState } from '../ui/State'

/** Whether a part of the dashboard could not be loaded: the server is away, or has a newer version. */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message)

/** A page that broke: the rest of the dashboard goes on. A part that failed to load stays so until all is loaded again. */
export function Crashed({ error, reset }: { error: unknown; reset?: () => void }) {
  const missing = isMissingPart(error)
  useEffect(() => {
    if (!missing) return
    const reload = () => location.reload()
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [missing])
  if (missing) {
    return (
      <Page title="Load it again">
        <ErrorState
          title="This page could not be loaded"
          error={new Error('The server was not reached, or has a newer version. Drafts are kept.')}
          retry={() => location.reload()}
        />
      </Page>
    )
  }
  return (
    <Page title="Something went wrong">
      <ErrorState title="This page broke" error={error} retry={reset} />
    </Page>
  )
}

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        icon="question"
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass()}>
            To the calendar
          </Link>
        }
      >
        The address may be old or mistyped.
      </EmptyState>
    </Page>
  )
}
