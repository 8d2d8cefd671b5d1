import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { explain } from '../../api/error'
import { key, type Noun } from '../../api/query'
import { Button, ButtonRow, Dialog, ErrorState, LoadingState, showDialog, toast } from '../../ui'
import styles from './settings.module.css'

type ListPage<T> = { data: T[]; total: number; nextCursor: string | null }

/** A list of the interface, page by page. */
export function usePages<T>(
  noun: Noun,
  scope: unknown[],
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>,
  refetchInterval?: (list: T[]) => number | false,
) {
  return useInfiniteQuery({
    queryKey: key(noun, ...scope, 'pages'),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    getNextPageParam: page => page.nextCursor ?? undefined,
    refetchInterval: q => refetchInterval?.(q.state.data?.pages.flatMap(p => p.data) ?? []) ?? false,
    select: data => ({ list: data.pages.flatMap(p => p.data), total: data.pages[0]?.total ?? 0 }),
  })
}

type Pages<T> = Pick<
  UseInfiniteQueryResult<{ list: T[]; total: number }>,
  'data' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
>

/** Draws a list with its loading, failed and empty state, and a button for more. */
export function List<T>({
  pages,
  empty,
  children,
}: {
  pages: Pages<T>
  empty: ReactNode
  children: (list: T[]) => ReactNode
}) {
  if (pages.error && !pages.data) return <ErrorState error={pages.error} retry={() => pages.refetch()} />
  if (!pages.data) return <LoadingState />
  if (pages.data.list.length === 0) return empty
  return (
    <>
      {children(pages.data.list)}
      {pages.isFetchNextPageError && <Problem>{explain(pages.error)}</Problem>}
      {pages.hasNextPage && (
        <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
          Show more of {pages.data.total}
        </Button>
      )}
    </>
  )
}

/** What was refused and belongs to no field. */
export function Problem({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <p className={styles.problem} role="alert">
      {children}
    </p>
  )
}

type Once = {
  title: ReactNode
  note: ReactNode
  /** What the text is, for those who do not see it. */
  label: string
  text: string
}

/**
 * Shows what no other answer will ever tell again, such as a secret. It stays, whatever becomes of the page behind it, until
 * the person says that they have it.
 */
export const showOnce = (once: Once) => showDialog(close => <ShownOnce {...once} onKept={close} />, { stays: true })

function ShownOnce({ title, note, label, text, onKept }: Once & { onKept: () => void }) {
  useEffect(() => {
    const hold = (e: BeforeUnloadEvent) => e.preventDefault()
    addEventListener('beforeunload', hold)
    return () => removeEventListener('beforeunload', hold)
  }, [])
  return (
    <Dialog
      title={title}
      footer={
        <ButtonRow end>
          <Button kind="primary" onClick={onKept}>
            I have kept it
          </Button>
        </ButtonRow>
      }
    >
      <p>{note}</p>
      <CopyOnce label={label} text={text} />
    </Dialog>
  )
}

/** A text with a button that copies it. */
function CopyOnce({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      toast('Copied')
    } catch {
      toast('The browser does not let the page copy: mark the text and copy it')
    }
  }
  return (
    <div className={styles.once}>
      <span className="visually-hidden">{label}</span>
      <code>{text}</code>
      <Button size="small" icon={copied ? 'check' : 'copy'} onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  )
}

/** Which teams somebody or something reaches: all of them, or some. */
export function TeamChoice({
  teams,
  value,
  onChange,
}: {
  teams: { id: string; name: string }[]
  value: string[] | null
  onChange: (ids: string[] | null) => void
}) {
  if (teams.length < 2 && value === null) return null
  return (
    <fieldset className={styles.choice}>
      <legend>Teams</legend>
      <label>
        <input
          type="checkbox"
          name="teamIds"
          checked={value === null}
          onChange={e => onChange(e.target.checked ? null : [])}
        />{' '}
        All teams
      </label>
      {value !== null &&
        teams.map(t => (
          <label key={t.id}>
            <input
              type="checkbox"
              name="teamIds"
              checked={value.includes(t.id)}
              onChange={e => onChange(e.target.checked ? [...value, t.id] : value.filter(id => id !== t.id))}
            />{' '}
            <span dir="auto">{t.name}</span>
          </label>
        ))}
    </fieldset>
  )
}

export const roles = ['owner', 'admin', 'editor', 'viewer'] as const
export type Role = (typeof roles)[number]

/** The roles that somebody with this one can give. */
export const rolesWithin = (own: Role): readonly Role[] => roles.slice(roles.indexOf(own))

export const roleNotes: Record<Role, string> = {
  owner: 'everything, also other owners',
  admin: 'everything but changing owners',
  editor: 'writes, plans and publishes',
  viewer: 'looks',
}
