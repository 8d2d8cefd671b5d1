import { Link } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Schemas } from '../../api/client'
import { useAccounts } from '../../api/hooks'
import { useCan, useSession } from '../../session'
import {
  Button,
  buttonClass,
  EmptyState,
  ErrorState,
  Field,
  Icon,
  LoadingState,
  networkNames,
  Page,
  type Provider,
  Select,
  useSearchState,
  useSearchText,
} from '../../ui'
import type { Search } from '../../ui/useSearchState'
import { BulkBar } from './Bulk'
import { type Post, usePosts } from './data'
import { Facets } from './Facets'
import styles from './posts.module.css'
import { Row } from './Row'
import { useVisibleRange } from './window'

const states: [string, string][] = [
  ['', 'All'],
  ['drafts', 'Drafts'],
  ['scheduled', 'Scheduled'],
  ['published', 'Published'],
  ['partially_published', 'Partly published'],
  ['failed', 'Failed'],
  ['missed', 'Missed'],
  ['unknown', 'Unknown'],
  ['archived', 'Archived'],
]

/** What is to be decided, and what was, in a team whose posts are approved. */
const approvals: [string, string][] = [
  ['to_approve', 'To approve'],
  ['approved', 'Approved, not scheduled'],
  ['rejected', 'Rejected'],
]

/** Every post of the team: found by words and by what it is about, and changed in numbers. */
export default function PostsPage() {
  const { team } = useSession()
  const [search, setSearch] = useSearchState()
  const mayWrite = useCan('write_posts')
  const mayDelete = useCan('delete_posts')
  const accounts = useAccounts(team.id)
  const list = usePosts(team.id, search)
  const posts = useMemo(() => list.data?.pages.flatMap(p => p.data) ?? [], [list.data])
  const [chosen, setChosen] = useState<string[]>([])
  const choose = useCallback(
    (id: string, on: boolean) => setChosen(c => (on ? [...c, id] : c.filter(x => x !== id))),
    [],
  )
  const picked = posts.filter(p => chosen.includes(p.id))
  const first = list.data?.pages[0] as (Schemas['PostPage'] & { totalIsCapped?: boolean }) | undefined
  const filtered = ['q', 'state', 'network', 'account', 'tag', 'type'].some(k => search[k])
  return (
    <Page
      wide
      title="Posts"
      note={
        first &&
        `${first.total.toLocaleString('en')}${first.totalIsCapped ? ' or more' : ''} ${filtered ? 'found' : 'in all'}`
      }
      actions={
        mayWrite && (
          <Link to="/compose" className={buttonClass({ kind: 'primary' })}>
            <Icon name="compose" size={18} /> New post
          </Link>
        )
      }
    >
      <Filters search={search} onChange={setSearch} accounts={accounts.data ?? []} />
      <div className={styles.layout}>
        <Facets search={search} onChange={setSearch} />
        <div className={styles.main}>
          {picked.length > 0 && <BulkBar posts={picked} onDone={() => setChosen([])} />}
          {list.isPending && <LoadingState />}
          {list.error && !list.data && <ErrorState error={list.error} retry={() => list.refetch()} />}
          {list.data && posts.length === 0 && (
            <Nothing filtered={filtered} onClear={() => setSearch(cleared)} mayWrite={mayWrite} />
          )}
          {posts.length > 0 && (
            <Rows
              posts={posts}
              accounts={accounts.data ?? []}
              chosen={chosen}
              onChoose={mayWrite || mayDelete ? choose : undefined}
              stale={list.isPlaceholderData}
              more={mayFetchMore(list) ? list.fetchNextPage : undefined}
              loading={list.isFetchingNextPage}
            />
          )}
          {list.isFetchNextPageError && (
            <ErrorState title="The rest could not be loaded" error={list.error} retry={() => list.fetchNextPage()} />
          )}
        </div>
      </div>
    </Page>
  )
}

/** Whether the next page is fetched by itself: one that was refused would be refused again, without end. */
const mayFetchMore = (list: ReturnType<typeof usePosts>) =>
  list.hasNextPage && !list.isFetchingNextPage && !list.isFetchNextPageError

const cleared: Search = {
  q: undefined,
  state: undefined,
  network: undefined,
  account: undefined,
  tag: undefined,
  type: undefined,
}

function Nothing({ filtered, onClear, mayWrite }: { filtered: boolean; onClear: () => void; mayWrite: boolean }) {
  if (filtered) {
    return (
      <EmptyState icon="search" title="Nothing is like that" action={<Button onClick={onClear}>Show all posts</Button>}>
        No post has all that you asked for. Words are searched as a whole.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon="posts"
      title="No posts yet"
      action={
        mayWrite && (
          <Link to="/compose" className={buttonClass({ kind: 'primary' })}>
            Write the first one
          </Link>
        )
      }
    >
      Drafts, waiting and published posts are all kept here.
    </EmptyState>
  )
}

function Filters({
  search,
  onChange,
  accounts,
}: {
  search: Search
  onChange: (patch: Search) => void
  accounts: Schemas['SocialAccount'][]
}) {
  const { team } = useSession()
  const [q, setQ] = useSearchText(search.q ?? '', onChange)
  const networks = [...new Set(accounts.map(a => a.provider))]
  return (
    <search className={styles.filters}>
      <Field
        label="Search"
        type="search"
        dir="auto"
        placeholder="Words, #tags, links"
        value={q}
        onChange={e => setQ(e.target.value)}
      />
      <Select label="State" value={search.state ?? ''} onChange={e => onChange({ state: e.target.value })}>
        {[...states, ...(team.requireApproval ? approvals : [])].map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        label="Network"
        value={search.network ?? ''}
        onChange={e => onChange({ network: e.target.value, account: undefined })}
      >
        <option value="">All</option>
        {networks.map(n => (
          <option key={n} value={n}>
            {networkNames[n as Provider]}
          </option>
        ))}
      </Select>
      <Select label="Account" value={search.account ?? ''} onChange={e => onChange({ account: e.target.value })}>
        <option value="">All</option>
        {accounts
          .filter(a => !search.network || a.provider === search.network)
          .map(a => (
            <option key={a.id} value={a.id}>
              {a.displayName} ({networkNames[a.provider]})
            </option>
          ))}
      </Select>
      <Select label="Order" value={search.sort ?? ''} onChange={e => onChange({ sort: e.target.value })}>
        <option value="">Last changed</option>
        <option value="scheduled">By time</option>
      </Select>
    </search>
  )
}

const rowHeight = 76

/** The rows that are on the screen, out of as many as have been loaded. */
function Rows({
  posts,
  accounts,
  chosen,
  onChoose,
  stale,
  more,
  loading,
}: {
  posts: Post[]
  accounts: Schemas['SocialAccount'][]
  chosen: string[]
  onChoose?: (id: string, on: boolean) => void
  stale: boolean
  more?: () => void
  loading: boolean
}) {
  const list = useRef<HTMLUListElement>(null)
  const { from, to } = useVisibleRange(list, rowHeight, posts.length)
  useEffect(() => {
    if (more && to >= posts.length - 10) more()
  }, [to, posts.length, more])
  return (
    <>
      <ul
        ref={list}
        className={styles.rows}
        aria-busy={stale || undefined}
        style={{ height: posts.length * rowHeight }}
      >
        {posts.slice(from, to).map((p, n) => (
          <li
            key={p.id}
            className={styles.row}
            style={{ height: rowHeight, transform: `translateY(${(from + n) * rowHeight}px)` }}
            aria-setsize={posts.length}
            aria-posinset={from + n + 1}
          >
            <Row post={p} accounts={accounts} chosen={chosen.includes(p.id)} onChoose={onChoose} />
          </li>
        ))}
      </ul>
      {loading && <LoadingState label="Loading more" />}
    </>
  )
}
