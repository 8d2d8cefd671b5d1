import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/Button'
import { Page } from '../ui/Page'
import { EmptyState, ErrorState } from '../ui/State'

/** A page that broke: the rest of the dashboard goes on. A chunk that is gone means a newer version was installed. */
export function Crashed({ error, reset }: { error: unknown; reset?: () => void }) {
  const gone = error instanceof TypeError && /dynamically imported module|module script/i.test(error.message)
  if (gone) {
    return (
      <Page title="Load it again">
        <ErrorState
          title="A newer version was installed"
          error={new Error('This page has to be loaded again.')}
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
