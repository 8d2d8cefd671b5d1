import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { api, ask } from '../../api/client'
import { useAccounts, useInstance } from '../../api/hooks'
import { useIntents } from '../../api/intents'
import { key, queryClient } from '../../api/query'
import { serverNow, useCan, useSession } from '../../session'
import {
  Button,
  ButtonRow,
  buttonClass,
  Field,
  Icon,
  Loaded,
  NetworkGlyph,
  networkNames,
  Page,
  type Provider,
  Select,
  Status,
  TextArea,
  toastError,
  useSearchState,
} from '../../ui'
import { useConnect } from '../attention/reconnect'
import { useNetworks } from '../compose/networks'
import { refreshPosts } from '../compose/requests'
import { useScheduledPosts } from '../post/data'
import { inOrder, shownStatus } from '../post/order'
import { daysInWords, type Slot, timeOf } from '../slots/model'
import { inWords, weekdays, zones } from './choices'
import styles from './welcome.module.css'

const steps = ['Connect', 'Times', 'First post'] as const

/** Three steps from nothing to a post that is out; each can be skipped. */
export default function WelcomePage() {
  const [search, setSearch] = useSearchState()
  const navigate = useNavigate()
  const step = Math.min(3, Math.max(1, Number(search.step) || 1))
  const before = useRef(step)
  useEffect(() => {
    if (before.current !== step) focusStep()
    before.current = step
  }, [step])
  const next = () => (step === 3 ? navigate({ to: '/' }) : setSearch({ step: String(step + 1) }, 'push'))
  return (
    <Page title="Welcome">
      <ol className={styles.steps}>
        {steps.map((name, n) => (
          <li key={name}>
            <button
              type="button"
              className={styles.step}
              aria-current={step === n + 1 ? 'step' : undefined}
              onClick={() => setSearch({ step: String(n + 1) }, 'push')}
            >
              <span className={styles.number}>
                {step > n + 1 ? <Icon name="check" size={14} label="seen" /> : n + 1}
              </span>
              {name}
            </button>
          </li>
        ))}
      </ol>
      {step === 1 && <Connect onNext={next} />}
      {step === 2 && <Times onNext={next} />}
      {step === 3 && <FirstPost onNext={next} />}
    </Page>
  )
}

/** The button that was pressed is gone with what it was on: keyboards and screen readers go on at what took its place. */
function focusStep() {
  if (document.activeElement === document.body) document.getElementById('step')?.focus()
}

function Step({
  title,
  note,
  children,
  footer,
}: {
  title: string
  note: ReactNode
  children: ReactNode
  footer: ReactNode
}) {
  return (
    <section id="step" tabIndex={-1} className={styles.body} aria-label={title}>
      <h2>{title}</h2>
      <p className={styles.note}>{note}</p>
      {children}
      <ButtonRow end>{footer}</ButtonRow>
    </section>
  )
}

function Connect({ onNext }: { onNext: () => void }) {
  const { team } = useSession()
  const accounts = useAccounts(team.id)
  const networks = useNetworks()
  const instance = useInstance()
  const mayConnect = useCan('manage_social_accounts')
  const { connect, busy } = useConnect()
  const sandbox = accounts.data?.some(a => a.sandbox)
  const connected = accounts.data?.filter(a => a.status === 'connected').length ?? 0
  return (
    <Step
      title="Where do you publish?"
      note={
        sandbox
          ? 'This installation has a sandbox: simulated networks, already connected, where nothing is public. Use them now, and connect real ones when you like.'
          : 'Connect the accounts that crier may publish to. You can add more at any time.'
      }
      footer={
        <>
          {connected === 0 && <Button onClick={onNext}>Skip</Button>}
          <Button kind="primary" disabled={connected === 0} onClick={onNext}>
            {connected === 0
              ? 'Connect one first'
              : `Go on with ${connected === 1 ? '1 account' : `${connected} accounts`}`}
          </Button>
        </>
      }
    >
      <Loaded query={accounts}>
        {list => (
          <ul className={styles.networks}>
            {networks.map(n => {
              const own = list.filter(a => a.provider === n.name && a.status !== 'disconnected')
              return (
                <li key={n.name} data-network={n.name}>
                  <NetworkGlyph provider={n.name} size={22} />
                  <span className={styles.network}>
                    <strong>{networkNames[n.name]}</strong>
                    <small>{own.length === 0 ? 'not connected' : own.map(a => a.displayName).join(', ')}</small>
                  </span>
                  {own[0] && <Status state={own[0].status} />}
                  {mayConnect && (
                    <Button size="small" busy={busy === n.name} onClick={() => connect(n.name)}>
                      {own.length === 0 ? 'Connect' : 'Add another'}
                    </Button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
      {sandbox && instance.data?.sandboxUrl && (
        <p className={styles.note}>
          What is published there can be seen on{' '}
          <a href={instance.data.sandboxUrl} target="_blank" rel="noreferrer">
            its timelines
          </a>
          .
        </p>
      )}
    </Step>
  )
}

function Times({ onNext }: { onNext: () => void }) {
  const { team } = useSession()
  const mayZone = useCan('manage_teams')
  const maySlots = useCan('manage_slots')
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [zone, setZone] = useState(team.timezone ?? here)
  const [times, setTimes] = useState(['09:00', '13:00', '18:00'])
  const [days, setDays] = useState([1, 2, 3, 4, 5])
  const [busy, setBusy] = useState(false)
  const slots = useQuery({
    queryKey: key('slots', team.id),
    queryFn: ({ signal }) =>
      ask(api.GET('/v1/teams/{teamId}/scheduling-slots', { params: { path: { teamId: team.id } }, signal })),
  })
  const intents = useIntents()
  const own = slots.data?.usingDefaults === false
  const newZone = mayZone && zone !== team.timezone
  const save = async () => {
    setBusy(true)
    try {
      const path = { teamId: team.id }
      if (newZone) await ask(api.PATCH('/v1/teams/{teamId}', { params: { path }, body: { timezone: zone } }))
      if (maySlots && !own) {
        for (const t of times.filter(Boolean)) {
          const [hour = 0, minute = 0] = t.split(':').map(Number)
          const body = { hour, minute, daysOfWeek: days }
          await ask(
            api.POST('/v1/teams/{teamId}/scheduling-slots', {
              params: { path },
              headers: intents.keyFor(`slot ${t}`, { team: team.id, body }),
              body,
            }),
          )
        }
      }
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: key('context') }),
        queryClient.invalidateQueries({ queryKey: key('slots', team.id) }),
      ])
      onNext()
    } catch (e) {
      toastError('The times were not saved', e)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Step
      title="When do you publish?"
      note="Slots are your usual times: a post for the next slot takes the next free one. They keep their time of day when the clocks change."
      footer={
        <>
          {(!own || newZone) && <Button onClick={onNext}>Skip</Button>}
          {own && (
            <Button kind="primary" busy={busy} onClick={newZone ? save : onNext}>
              {newZone ? 'Use this time zone' : 'Go on'}
            </Button>
          )}
          {!own && (mayZone || maySlots) && (
            <Button kind="primary" busy={busy} disabled={days.length === 0 || !slots.data} onClick={save}>
              Use these times
            </Button>
          )}
        </>
      }
    >
      <Select label="Time zone" value={zone} disabled={!mayZone} onChange={e => setZone(e.target.value)}>
        {zones(zone, here).map(z => (
          <option key={z} value={z}>
            {z}
          </option>
        ))}
      </Select>
      {slots.data && own ? (
        <OwnSlots slots={slots.data.slots} />
      ) : (
        <>
          <fieldset className={styles.days}>
            <legend>Days</legend>
            {weekdays.map(d => (
              <label key={d.value} className={styles.day} data-on={days.includes(d.value) || undefined}>
                <input
                  type="checkbox"
                  checked={days.includes(d.value)}
                  onChange={e => setDays(e.target.checked ? [...days, d.value] : days.filter(x => x !== d.value))}
                />
                {d.label}
              </label>
            ))}
          </fieldset>
          <div className={styles.times}>
            {times.map((t, n) => (
              <Field
                // biome-ignore lint/suspicious/noArrayIndexKey: the three times are known by their places
                key={n}
                label={['Morning', 'Afternoon', 'Evening'][n]}
                type="time"
                value={t}
                onChange={e => setTimes(times.with(n, e.target.value))}
              />
            ))}
          </div>
          <p className={styles.note}>A time that you clear is left out. You can add others under Slots.</p>
        </>
      )}
    </Step>
  )
}

/** What a team that has slots already is told: nothing is made beside them. */
function OwnSlots({ slots }: { slots: Slot[] }) {
  const shown = slots.slice(0, 6)
  return (
    <>
      <p className={styles.own}>
        Your team has <Link to="/slots">{slots.length === 1 ? '1 slot' : `${slots.length} slots`}</Link> already. There
        is nothing to set up here.
      </p>
      <ul className={styles.slots}>
        {shown.map(s => (
          <li key={s.id}>
            <time>{timeOf(s)}</time> {daysInWords(s.daysOfWeek)}
          </li>
        ))}
        {slots.length > shown.length && <li>and {slots.length - shown.length} more</li>}
      </ul>
    </>
  )
}

/** Writes a post, sends it at once to networks that take text alone, and shows how it goes out. */
function FirstPost({ onNext }: { onNext: () => void }) {
  const { team } = useSession()
  const accounts = useAccounts(team.id)
  const networks = useNetworks()
  const mayPublish = useCan('publish_posts')
  const [text, setText] = useState('Hello from crier. Nothing twice, nothing lost.')
  const [postId, setPostId] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  // What was sent when the page was loaded again may have had its effect: it must not have it twice.
  const intents = useIntents(`first-post:${team.id}`)
  const takesText = new Set(
    networks.filter(n => n.formats.some(f => f.postTypes?.includes('text_post'))).map(n => n.name),
  )
  const networksOf = (list: { provider: string }[]) => inWords(list.map(a => networkNames[a.provider as Provider]))
  const others = accounts.data?.filter(a => a.status === 'connected' && !takesText.has(a.provider)) ?? []
  const targets = accounts.data?.filter(a => a.status === 'connected' && takesText.has(a.provider)) ?? []
  const publish = async () => {
    setBusy(true)
    try {
      const path = { teamId: team.id }
      const post = await ask(
        api.POST('/v1/teams/{teamId}/posts', {
          params: { path },
          headers: intents.keyFor('create', text),
          body: { text },
        }),
      )
      const body = { socialAccountIds: targets.map(a => a.id), waitSeconds: 0 }
      await ask(
        api.POST('/v1/teams/{teamId}/posts/{postId}/post-now', {
          params: { path: { ...path, postId: post.id } },
          headers: intents.keyFor('publish', { postId: post.id, body }),
          body,
        }),
      )
      intents.forget()
      setPostId(post.id)
      refreshPosts(team.id)
    } catch (e) {
      toastError('It was not published', e)
    } finally {
      setBusy(false)
    }
  }
  if (postId) return <Watch postId={postId} onNext={onNext} />
  return (
    <Step
      title="Write your first post"
      note={
        targets.length === 0
          ? 'Connect an account first, or skip this.'
          : `It goes out at once to ${networksOf(targets)}${targets.every(a => a.sandbox) ? ' in the sandbox' : ''}.${others.length > 0 ? ` Text alone is not enough for ${networksOf(others)}: add pictures or videos to posts for them.` : ''}`
      }
      footer={
        <>
          <Button onClick={onNext}>Skip</Button>
          {mayPublish && (
            <Button
              kind="primary"
              icon="send"
              busy={busy}
              disabled={targets.length === 0 || !text.trim()}
              onClick={publish}
            >
              Publish it now
            </Button>
          )}
        </>
      }
    >
      <TextArea label="Text" dir="auto" value={text} onChange={e => setText(e.target.value)} />
    </Step>
  )
}

function Watch({ postId, onNext }: { postId: string; onNext: () => void }) {
  const session = useSession()
  const { team } = session
  const accounts = useAccounts(team.id)
  const scheduled = useScheduledPosts(team.id, postId)
  useEffect(focusStep, [])
  const under = scheduled.data?.some(
    s => s.status === 'publishing' || s.status === 'processing' || s.status === 'scheduled',
  )
  const failed = scheduled.data?.filter(s => ['failed', 'missed', 'unknown'].includes(s.status)).length ?? 0
  const title = under !== false ? 'There it goes' : failed === 0 ? 'It is out' : 'It is not out everywhere'
  return (
    <Step
      title={title}
      note="Every attempt is kept: when the call left, what the network said, and that it is there once."
      footer={
        <>
          <Link to="/posts/$postId" params={{ postId }} className={buttonClass()}>
            See the record
          </Link>
          <Button kind="primary" onClick={onNext}>
            Open the calendar
          </Button>
        </>
      }
    >
      <Loaded query={scheduled}>
        {list => (
          <ul className={styles.networks} aria-live="polite">
            {inOrder(list, accounts.data ?? []).map(s => {
              const account = accounts.data?.find(a => a.id === s.socialAccountId)
              return (
                <li key={s.id}>
                  {account && <NetworkGlyph provider={account.provider} size={22} />}
                  <span className={styles.network}>
                    <strong>{account && networkNames[account.provider]}</strong>
                    <small>{s.errorMessage ?? account?.displayName}</small>
                  </span>
                  <Status state={shownStatus(s, serverNow(session))} />
                  {s.permalink && (
                    <a href={s.permalink} target="_blank" rel="noreferrer">
                      See it
                    </a>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </Step>
  )
}
