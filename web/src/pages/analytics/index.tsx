import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Schemas } from '../../api/client'
import { useAccounts } from '../../api/hooks'
import { serverNow, useCan, useSession } from '../../session'
import {
  buttonClass,
  EmptyState,
  Loaded,
  networkNames,
  Page,
  type Provider,
  Select,
  useSearchState,
  useTyped,
} from '../../ui'
import { isDate, wallAt } from '../../zone'
import styles from './analytics.module.css'
import { BestTimes } from './BestTimes'
import { Chart } from './Chart'
import { csvAddress, type GroupBy, type Metric, type Scope, useSeries, useSummary, useUnread } from './data'
import { Punctuality } from './Punctuality'
import { isOrder, Ranking } from './Ranking'
import {
  changeInWords,
  changeOf,
  coverage,
  coverageOfAccounts,
  inPercent,
  instead,
  intervalOf,
  short,
  spans,
  type Window,
  windowOf,
} from './window'

/** How posts do, with what the networks tell and nothing else. */
export default function AnalyticsPage() {
  const mayRead = useCan('read_analytics')
  if (mayRead) return <Analytics />
  return (
    <Page title="Analytics">
      <EmptyState icon="lock" title="Numbers are not among your permissions">
        Ask an admin of the organization for a role that may read them.
      </EmptyState>
    </Page>
  )
}

function Analytics() {
  const session = useSession()
  const { accountId } = useParams({ strict: false }) as { accountId?: string }
  const [search, setSearch] = useSearchState()
  const today = wallAt(serverNow(session), session.zone).date
  const { from, to, days } = windowOf(search, today)
  const provider = networkOf(search.network)
  const scope = useMemo(() => ({ from, to, provider, socialAccountId: accountId }), [from, to, provider, accountId])
  const sortBy = isOrder(search.order) ? search.order : 'views'
  return (
    <Page
      wide
      title="Analytics"
      note={
        <>
          What the networks told of posts that were published in the window; days in <strong>{session.zone}</strong>.
        </>
      }
      actions={<Csv scope={scope} />}
    >
      <Choices accountId={accountId} window={windowOf(search, today)} provider={provider} />
      <Summary scope={scope} />
      <Course scope={scope} days={days} />
      <Ranking scope={scope} sortBy={sortBy} onSort={order => setSearch({ order })} />
      <BestTimes scope={scope} />
      <Punctuality scope={scope} />
    </Page>
  )
}

const networkOf = (name: string | undefined) => (name && name in networkNames ? (name as Provider) : undefined)

function Csv({ scope }: { scope: Scope }) {
  const { team, zone } = useSession()
  return (
    <a className={buttonClass()} href={csvAddress(team.id, 'posts', { ...scope, timezone: zone })} download="posts.csv">
      Posts as CSV
    </a>
  )
}

/** The window and what is counted in it; the address holds all of it. */
function Choices({ accountId, window, provider }: { accountId?: string; window: Window; provider?: Provider }) {
  const { team } = useSession()
  const [, setSearch] = useSearchState()
  const navigate = useNavigate()
  const accounts = useAccounts(team.id).data ?? []
  const setAccount = (id: string) =>
    id
      ? navigate({ to: '/analytics/$accountId', params: { accountId: id }, search: true })
      : navigate({ to: '/analytics', search: true })
  const setWindow = (value: string) => {
    if (value === 'own') setSearch({ days: undefined, from: window.from, to: window.to })
    else setSearch({ days: value, from: undefined, to: undefined })
  }
  return (
    <div className={styles.choices}>
      <Select label="Window" value={window.own ? 'own' : String(window.days)} onChange={e => setWindow(e.target.value)}>
        {spans.map(s => (
          <option key={s} value={s}>
            Last {s} days
          </option>
        ))}
        <option value="own">From … to …</option>
      </Select>
      {window.own && <OwnWindow window={window} onChange={setSearch} />}
      <Select
        label="Network"
        value={provider ?? ''}
        onChange={e => setSearch({ network: e.target.value || undefined })}
      >
        <option value="">All</option>
        {(Object.keys(networkNames) as Provider[]).map(p => (
          <option key={p} value={p}>
            {networkNames[p]}
          </option>
        ))}
      </Select>
      <Select label="Account" value={accountId ?? ''} onChange={e => setAccount(e.target.value)}>
        <option value="">All</option>
        {accounts
          .filter(a => a.id === accountId || (a.status !== 'disconnected' && (!provider || a.provider === provider)))
          .map(a => (
            <option key={a.id} value={a.id}>
              {a.displayName} · {networkNames[a.provider]}
            </option>
          ))}
      </Select>
    </div>
  )
}

/** The first and the last day. One that does not fit with the other, as while it is typed, changes nothing. */
function OwnWindow({
  window: { from, to },
  onChange,
}: {
  window: Window
  onChange: (patch: { from?: string; to?: string }) => void
}) {
  const first = useTyped(from, date => isDate(date) && date <= to && onChange({ from: date }))
  const last = useTyped(to, date => isDate(date) && date >= from && onChange({ to: date }))
  return (
    <>
      <label className={styles.date}>
        <span>First day</span>
        <input type="date" max={to} {...first} />
      </label>
      <label className={styles.date}>
        <span>Last day</span>
        <input type="date" min={from} {...last} />
      </label>
      {first.value > last.value && (
        <p className={styles.soft} role="status">
          The first day is after the last.
        </p>
      )}
    </>
  )
}

function Summary({ scope }: { scope: Scope }) {
  const summary = useSummary(scope)
  const unread = useUnread(scope)
  return (
    <Loaded query={summary}>
      {s => {
        const before = s.previous
        return (
          <>
            <dl className={styles.tiles}>
              <Tile name="Posts" value={s.posts} before={before?.posts} />
              {(['views', 'engagements'] as const).map(m => (
                <Tile
                  key={m}
                  name={m === 'views' ? 'Views' : 'Engagements'}
                  value={s.metrics[m].value}
                  before={before?.metrics[m].value}
                  note={coverage(s.metrics[m], unread)}
                  none={instead(s.metrics[m], unread)}
                />
              ))}
              <Tile
                name="Engagement rate"
                value={s.engagementRate.value}
                before={before?.engagementRate.value}
                note={coverage(s.engagementRate, unread)}
                none={instead(s.engagementRate, unread)}
                format={inPercent}
              />
              <Tile
                name="Followers"
                value={s.followers.value}
                before={before?.followers.value}
                note={coverageOfAccounts(s.followers)}
                none={s.followers.notTold > 0 ? 'no number yet' : '–'}
              />
            </dl>
            <Hints hints={s.accountsWithHint} />
            {unread > 0 && <Unread />}
          </>
        )
      }}
    </Loaded>
  )
}

function Tile({
  name,
  value,
  before,
  note,
  none = '–',
  format = short,
}: {
  name: string
  value: number | null
  before: number | null | undefined
  note?: string
  /** What stands in place of a number that is not there. */
  none?: string
  format?: (v: number) => string
}) {
  const change = changeOf(value, before)
  return (
    <div className={styles.tile}>
      <dt>{name}</dt>
      <dd>
        <span className={value === null ? styles.notTold : styles.value}>{value === null ? none : format(value)}</span>
        {change !== null && (
          <span className={styles.change} title={`Before: ${format(before ?? 0)}`}>
            {changeInWords(change)}
            <span className="visually-hidden"> against the window before</span>
          </span>
        )}
        {note && <small>{note}</small>}
      </dd>
    </div>
  )
}

/** Why posts have not been read. */
function Unread() {
  const { organization } = useSession()
  return (
    <p className={styles.soft}>
      A post is read for the first time an hour after it was published.
      {organization.metricsPolicy === 'free' && (
        <>
          {' '}
          Where a network charges for its numbers, they are not read:{' '}
          <Link to="/settings/$section" params={{ section: 'organization' }}>
            the organization
          </Link>{' '}
          decides that.
        </>
      )}
    </p>
  )
}

function Hints({ hints }: { hints: Schemas['AccountHint'][] }) {
  const { team } = useSession()
  const accounts = useAccounts(team.id).data ?? []
  if (hints.length === 0) return null
  return (
    <ul className={styles.hints}>
      {hints.map(h => (
        <li key={h.socialAccountId}>
          <strong dir="auto">{accounts.find(a => a.id === h.socialAccountId)?.displayName ?? 'An account'}</strong>:{' '}
          {h.hint}
        </li>
      ))}
    </ul>
  )
}

const metrics: { value: Metric; label: string }[] = [
  { value: 'views', label: 'Views' },
  { value: 'engagements', label: 'Engagements' },
  { value: 'engagementRate', label: 'Engagement rate' },
  { value: 'likes', label: 'Likes' },
  { value: 'comments', label: 'Comments' },
  { value: 'shares', label: 'Shares' },
  { value: 'followers', label: 'Followers' },
  { value: 'posts', label: 'Posts' },
]

const groups: { value: GroupBy; label: string }[] = [
  { value: 'none', label: 'All together' },
  { value: 'provider', label: 'By network' },
  { value: 'socialAccount', label: 'By account' },
  { value: 'tag', label: 'By tag' },
  { value: 'postType', label: 'By kind of post' },
]

const rate = (v: number | null) => (v === null ? 'not told' : inPercent(v))

/** One number in the course of time. */
function Course({ scope, days }: { scope: Scope; days: number }) {
  const [search, setSearch] = useSearchState()
  const metric = metrics.find(m => m.value === search.metric) ?? { value: 'views' as const, label: 'Views' }
  const groupBy = groups.find(g => g.value === search.by)?.value ?? 'none'
  const interval = intervalOf(days)
  const series = useSeries(scope, metric.value, interval, groupBy)
  return (
    <section className={styles.section} aria-label="Over time">
      <header className={styles.head}>
        <h2>Over time</h2>
        <Select label="Number" hideLabel value={metric.value} onChange={e => setSearch({ metric: e.target.value })}>
          {metrics.map(m => (
            <option key={m.value} value={m.value}>
              {m.label}
            </option>
          ))}
        </Select>
        <Select label="Lines" hideLabel value={groupBy} onChange={e => setSearch({ by: e.target.value })}>
          {groups.map(g => (
            <option key={g.value} value={g.value}>
              {g.label}
            </option>
          ))}
        </Select>
      </header>
      <Loaded query={series}>
        {s =>
          s.lines.every(l => l.values.every(v => v === null || v === undefined)) ? (
            <p className={styles.soft}>
              There is no number of this window yet: the first reading comes an hour after publishing.
            </p>
          ) : (
            <Chart
              buckets={s.buckets}
              lines={s.lines}
              label={`${metric.label} by ${interval}`}
              format={metric.value === 'engagementRate' ? rate : short}
            />
          )
        }
      </Loaded>
    </section>
  )
}
