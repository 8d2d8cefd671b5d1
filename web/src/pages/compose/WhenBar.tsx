import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client'
import { key } from '../../api/query'
import { serverNow, useSession } from '../../session'
import { formatInstant, Icon, Menu } from '../../ui'
import { addDays, clock, clockChangeOn, formatOffset, offsetAt, placeOf, wallAt } from '../../zone'
import styles from './compose.module.css'
import type { Draft, When } from './draft'
import { type DraftStore, useDraft } from './store'
import type { TimeHint } from './timeHint'

const choices: { kind: When['kind']; label: string }[] = [
  { kind: 'draft', label: 'Draft' },
  { kind: 'planned', label: 'As planned' },
  { kind: 'slot', label: 'Next slot' },
  { kind: 'time', label: 'Time' },
  { kind: 'now', label: 'Now' },
]

/** A whole hour from now on, as the first suggestion of a time. */
function suggestion(now: number, zone: string): When {
  const wall = wallAt(now + 90 * 60_000, zone)
  return { kind: 'time', date: wall.date, time: clock(Math.floor(wall.minutes / 60) * 60) }
}

/** When the post goes out. The times are those of the team's zone. */
export function WhenBar({
  store,
  canPublish,
  hint,
}: {
  store: DraftStore
  canPublish: boolean
  hint: TimeHint | null
}) {
  const session = useSession()
  const when = useDraft(store, d => d.when)
  const [planned] = useState(() => (when.kind === 'planned' ? when : null))
  const choose = (kind: When['kind']) => {
    const other = kind === 'time' ? suggestion(serverNow(session), session.zone) : { kind }
    store.set(d => ({ ...d, when: kind === 'planned' ? planned : other }) as Draft)
  }
  return (
    <fieldset className={styles.when}>
      <legend className="visually-hidden">When</legend>
      {choices
        .filter(c => (canPublish || c.kind === 'draft') && (planned || c.kind !== 'planned'))
        .map(c => (
          <label key={c.kind} className={styles.whenChoice} data-on={when.kind === c.kind || undefined}>
            <input type="radio" name="when" checked={when.kind === c.kind} onChange={() => choose(c.kind)} />
            {c.label}
          </label>
        ))}
      {when.kind === 'planned' && <Planned times={Object.values(when.times)} />}
      {when.kind === 'planned' && hint && <Hint hint={hint} />}
      {when.kind === 'time' && <TimeFields store={store} when={when} hint={hint} />}
      {when.kind === 'slot' && <NextSlots store={store} />}
    </fieldset>
  )
}

const hintId = 'time-hint'

function Hint({ hint }: { hint: TimeHint }) {
  return (
    <span id={hintId} className={hint.stops ? styles.timeProblem : styles.hint} role="status">
      {hint.text}
    </span>
  )
}

/** The times that are kept, with the seconds and the offset that tell them apart. */
function Planned({ times }: { times: string[] }) {
  const { zone } = useSession()
  const instants = [...new Set(times.map(t => Date.parse(t)))].sort((a, b) => a - b)
  const words = instants.map(t => {
    const second = formatInstant(t, zone, 'second').slice(0, 8)
    return `${formatInstant(t, zone, 'day')}, ${second} (UTC${formatOffset(offsetAt(t, zone))})`
  })
  const [first] = words
  return (
    <span className={styles.hint} title={words.join('\n')}>
      {words.length === 1 ? first : `${words.length} times, each account its own`}
    </span>
  )
}

function TimeFields({
  store,
  when,
  hint,
}: {
  store: DraftStore
  when: Extract<When, { kind: 'time' }>
  hint: TimeHint | null
}) {
  const session = useSession()
  const set = (patch: Partial<typeof when>) => store.set(d => ({ ...d, when: { ...when, ...patch } }))
  const change = clockChangeOn(when.date || wallAt(serverNow(session), session.zone).date, session.zone)
  const today = wallAt(serverNow(session), session.zone).date
  return (
    <span className={styles.timeFields}>
      <input
        type="date"
        aria-label="Date"
        className={styles.input}
        aria-invalid={hint?.stops || undefined}
        aria-describedby={hint ? hintId : undefined}
        value={when.date}
        min={today}
        max={addDays(today, 90)}
        onChange={e => set({ date: e.target.value })}
      />
      <input
        type="time"
        aria-label="Time"
        className={styles.input}
        aria-invalid={hint?.stops || undefined}
        aria-describedby={hint ? hintId : undefined}
        value={when.time}
        onChange={e => set({ time: e.target.value })}
      />
      <span
        className={styles.hint}
        title={`${session.zone} (UTC${formatOffset(offsetAt(serverNow(session), session.zone))})`}
      >
        {placeOf(session.zone)}
        {change && !hint && ' · the clocks change on this day'}
      </span>
      {hint && <Hint hint={hint} />}
    </span>
  )
}

/** The instants of the next slots, so that a later one takes one click. */
function NextSlots({ store }: { store: DraftStore }) {
  const { team, zone } = useSession()
  const accounts = useDraft(store, d => d.accountIds)
  const [account] = accounts
  const slots = useQuery({
    queryKey: key('slots', team.id, 'next', account),
    queryFn: ({ signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/scheduling-slots/next', {
          params: { path: { teamId: team.id }, query: { count: '8', socialAccountId: account } },
          signal,
        }),
      ),
  })
  const at = (iso: string) => {
    const wall = wallAt(Date.parse(iso), zone)
    store.set(d => ({ ...d, when: { kind: 'time', date: wall.date, time: clock(wall.minutes) } }))
  }
  if (!slots.data || slots.data.slots.length < 2) return null
  return (
    <Menu
      label="A later slot"
      trigger={
        <>
          A later slot <Icon name="down" size={16} />
        </>
      }
      size="small"
      align="start"
      items={slots.data.slots.slice(1).map(s => ({
        label: formatInstant(Date.parse(s.startsAt), zone, 'short'),
        icon: 'slots',
        onSelect: () => at(s.startsAt),
      }))}
    />
  )
}
