import { Link } from '@tanstack/react-router'
import { explain } from '../../api/error'
import { Button, EmptyState, ErrorState, LoadingState, NetworkGlyph, networkNames, Select, Time } from '../../ui'
import styles from './analytics.module.css'
import { type Scope, type SortBy, useRanking } from './data'
import { inPercent, short } from './window'

const orders: { value: SortBy; label: string }[] = [
  { value: 'views', label: 'Views' },
  { value: 'engagements', label: 'Engagements' },
  { value: 'engagementRate', label: 'Engagement rate' },
  { value: 'likes', label: 'Likes' },
  { value: 'comments', label: 'Comments' },
  { value: 'shares', label: 'Shares' },
  { value: 'publishedAt', label: 'Newest first' },
]

export const isOrder = (v: string | undefined): v is SortBy => orders.some(o => o.value === v)

/** The posts of the window, the best first. */
export function Ranking({ scope, sortBy, onSort }: { scope: Scope; sortBy: SortBy; onSort: (s: SortBy) => void }) {
  const ranking = useRanking(scope, sortBy)
  const list = ranking.data?.pages.flatMap(p => p.data)
  return (
    <section className={styles.section} aria-labelledby="ranking">
      <header className={styles.head}>
        <h2 id="ranking">Posts</h2>
        <Select label="Order" hideLabel value={sortBy} onChange={e => onSort(e.target.value as SortBy)}>
          {orders.map(o => (
            <option key={o.value} value={o.value}>
              {o.label}
            </option>
          ))}
        </Select>
      </header>
      {!list ? (
        ranking.error ? (
          <ErrorState error={ranking.error} retry={() => ranking.refetch()} />
        ) : (
          <LoadingState />
        )
      ) : list.length === 0 ? (
        <EmptyState title="Nothing was published in this window">Choose a longer one above.</EmptyState>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by keyboard
        <section className={styles.scroll} tabIndex={0} aria-label="Posts by their numbers">
          <table className={styles.ranking}>
            <thead>
              <tr>
                <th scope="col">Post</th>
                <th scope="col">Views</th>
                <th scope="col">Engagements</th>
                <th scope="col">Rate</th>
              </tr>
            </thead>
            <tbody>
              {list.map(p => (
                <tr key={p.scheduledPostId}>
                  <th scope="row">
                    <Link
                      to="/posts/$postId"
                      params={{ postId: p.postId }}
                      search={{ tab: 'numbers' } as never}
                      dir="auto"
                    >
                      {p.title || p.text || 'Post without text'}
                    </Link>
                    <small>
                      <NetworkGlyph provider={p.provider} size={13} label={networkNames[p.provider]} />{' '}
                      <bdi>{p.accountName}</bdi>, <Time at={p.publishedAt} style="short" />
                    </small>
                  </th>
                  <td>{told(p, p.metrics.views, short)}</td>
                  <td>{told(p, p.metrics.engagements, short)}</td>
                  <td>{told(p, p.engagementRate, inPercent)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {ranking.isFetchNextPageError && (
        <p role="alert" className={styles.problem}>
          The rest could not be loaded: {explain(ranking.error)}
        </p>
      )}
      {ranking.hasNextPage && (
        <Button busy={ranking.isFetchingNextPage} onClick={() => ranking.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  )
}

/** A number, or why there is none. */
function told({ readAt }: { readAt: string | null }, value: number | null, format: (v: number) => string) {
  if (value !== null) return format(value)
  const [words, why] = readAt
    ? ['not told', 'The network was asked and did not tell']
    : ['not read yet', 'The network has not been asked yet']
  return (
    <span className={styles.soft} title={why}>
      {words}
    </span>
  )
}
