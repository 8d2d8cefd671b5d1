import type { Schemas } from '../../api/client'
import { useSession } from '../../session'
import { Avatar, EmptyState, Loaded, networkNames, Time } from '../../ui'
import { settingLabel } from '../compose/networks'
import { usePostMetrics } from './data'
import { points, series } from './numbers'
import styles from './post.module.css'

type Account = Schemas['SocialAccount']
type Publication = Schemas['PublicationMetrics']

/** How the post does, account by account. What a network does not tell is said, and never drawn as zero. */
export function Numbers({ postId, accounts }: { postId: string; accounts: Account[] }) {
  const { team } = useSession()
  const metrics = usePostMetrics(team.id, postId)
  return (
    <Loaded query={metrics}>
      {list =>
        list.length === 0 ? (
          <EmptyState icon="analytics" title="No numbers yet">
            They are read 1 and 6 hours, then 1, 3, 7, 14 and 30 days after publishing.
          </EmptyState>
        ) : (
          <div className={styles.numbers}>
            {list.map(p => (
              <AccountNumbers
                key={p.scheduledPostId}
                publication={p}
                account={accounts.find(a => a.id === p.socialAccountId)}
              />
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

function AccountNumbers({ publication, account }: { publication: Publication; account: Account | undefined }) {
  const all = series(publication.snapshots)
  const last = publication.snapshots.at(-1)
  return (
    <section className={styles.numberCard} aria-label={account?.displayName ?? networkNames[publication.provider]}>
      <header className={styles.row}>
        <Avatar
          name={account?.displayName ?? '?'}
          src={account?.profileImageUrl}
          provider={publication.provider}
          size={28}
        />
        <strong dir="auto">{account?.displayName ?? networkNames[publication.provider]}</strong>
        {last && (
          <span className={styles.soft}>
            as of <Time at={last.takenAt} style="short" />
          </span>
        )}
      </header>
      {all.length === 0 ? (
        <p className={styles.soft}>Not read yet: the first reading comes an hour after publishing.</p>
      ) : (
        <dl className={styles.metrics}>
          {all.map(m => (
            <div key={m.name}>
              <dt>{settingLabel(m.name)}</dt>
              <dd>
                {m.latest === null ? <span className={styles.soft}>not told</span> : m.latest.toLocaleString('en')}
                <Spark values={m.values} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

function Spark({ values }: { values: (number | null)[] }) {
  const known = values.filter(v => v !== null)
  if (known.length < 2) return null
  return (
    <svg className={styles.spark} viewBox="0 0 80 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <polyline
        points={points(values, 80, 20)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
