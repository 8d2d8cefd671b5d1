import { memo } from 'react'
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { useSession } from '../../session'
import { Badge, ErrorState, formatDuration, formatInstant, Icon, LoadingState, Time } from '../../ui'
import { useAttempts } from './data'
import { type Attempt, departure, type Line, lateness, ledger, proof } from './ledger'
import styles from './why.module.css'

/** The record of a scheduled post: when it was due, when the call left, what was said, and that it is there once. */
export function Why({ scheduledPost: sp }: { scheduledPost: ScheduledPost }) {
  const { team } = useSession()
  const attempts = useAttempts(team.id, sp)
  if (attempts.error && !attempts.data) return <ErrorState error={attempts.error} retry={() => attempts.refetch()} />
  if (!attempts.data) return <LoadingState />
  return <Ledger sp={sp} attempts={attempts.data} />
}

const Ledger = memo(function Ledger({ sp, attempts }: { sp: ScheduledPost; attempts: Attempt[] }) {
  const left = departure(sp, attempts)
  const once = proof(sp, attempts)
  return (
    <div className={styles.why}>
      <dl className={styles.facts}>
        <Fact name="Due">
          <Time at={sp.scheduledAt} style="second" />{' '}
          <span className={styles.soft}>
            <Time at={sp.scheduledAt} style="day" />
          </span>
        </Fact>
        <Fact name="Call left">
          {left ? (
            <>
              <Time at={left.left} style="second" /> <span className={styles.soft}>{lateness(left.late)}</span>
            </>
          ) : (
            <span className={styles.soft}>{sp.status === 'scheduled' ? 'not yet' : 'no call was made'}</span>
          )}
        </Fact>
        {sp.publishedAt && (
          <Fact name="Public since">
            <Time at={sp.publishedAt} style="second" />
          </Fact>
        )}
        {sp.publishResults.platformPostIds.length > 0 && (
          <Fact name={sp.publishResults.platformPostIds.length > 1 ? 'Ids there' : 'Id there'}>
            <code>{sp.publishResults.platformPostIds.join(', ')}</code>
          </Fact>
        )}
      </dl>
      {once && (
        <p className={styles.proof}>
          <Icon name="check" size={18} /> {once}
        </p>
      )}
      {attempts.length === 0 ? (
        <p className={styles.soft}>Nothing was tried with the network yet.</p>
      ) : (
        <ol className={styles.lines}>
          {ledger(attempts).map(l => (
            <LedgerLine key={l.key} line={l} due={Date.parse(sp.scheduledAt)} />
          ))}
        </ol>
      )}
    </div>
  )
})

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** "+65.3 s": how long after the time that it was due. */
function offset(at: number, due: number): string {
  const ms = at - due
  return `${ms < 0 ? '−' : '+'}${formatDuration(Math.abs(ms))}`
}

function LedgerLine({ line, due }: { line: Line; due: number }) {
  const { zone } = useSession()
  const { attempt } = line
  return (
    <li className={styles.line}>
      <div className={styles.when}>
        <Time at={line.at} style="second" />
        <span className={styles.offset} title="Against the time that it was due">
          {offset(line.at, due)}
        </span>
      </div>
      <div className={styles.what}>
        <p className={styles.head}>
          <span>{line.what}</span>
          <Badge icon={line.verdict.icon} tone={line.verdict.tone}>
            {line.verdict.word}
          </Badge>
          {line.took !== null && <span className={styles.took}>took {formatDuration(line.took)}</span>}
        </p>
        {line.said && (
          <p className={styles.said} dir="auto">
            {line.said}
          </p>
        )}
        {line.next && (
          <p className={styles.next}>
            {line.next}
            {line.nextAt && `, ${formatInstant(line.nextAt, zone, 'second').slice(0, 8)}`}
          </p>
        )}
        {attempt.exchanges.length > 0 && <Exchanges exchanges={attempt.exchanges} />}
      </div>
    </li>
  )
}

function Exchanges({ exchanges }: { exchanges: Schemas['Exchange'][] }) {
  return (
    <details className={styles.exchanges}>
      <summary>
        {exchanges.length === 1 ? 'What was sent and answered' : `${exchanges.length} requests and answers`}
      </summary>
      {exchanges.map(e => (
        <div key={`${e.startedAt} ${e.url}`} className={styles.exchange}>
          <p className={styles.request}>
            <strong>{e.method}</strong> <span>{e.url}</span>
          </p>
          {e.requestBody && <Body text={e.requestBody} />}
          <p className={styles.request}>
            {e.status ? <strong>{e.status}</strong> : <strong className={styles.bad}>no answer</strong>}{' '}
            <span>
              {e.error} after {formatDuration(e.durationMillis)}
            </span>
          </p>
          {e.responseHeader && <Headers headers={e.responseHeader as Record<string, string>} />}
          {e.responseBody && <Body text={e.responseBody} />}
        </div>
      ))}
    </details>
  )
}

function Headers({ headers }: { headers: Record<string, string> }) {
  return (
    <ul className={styles.headers}>
      {Object.entries(headers).map(([name, value]) => (
        <li key={name}>
          {name}: {value}
        </li>
      ))}
    </ul>
  )
}

function Body({ text }: { text: string }) {
  return (
    <pre className={styles.body} dir="auto">
      {pretty(text)}
    </pre>
  )
}

/** JSON with its structure drawn; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
