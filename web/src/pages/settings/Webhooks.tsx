import { type FormEvent, useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useSession } from '../../session'
import { askFirst, Badge, Button, ButtonRow, Dialog, EmptyState, Field, Icon, Menu, showDialog, Time } from '../../ui'
import { Deliveries } from './Deliveries'
import { about, general, useChange } from './form'
import { List, Problem, showOnce, TeamChoice, usePages } from './parts'
import styles from './settings.module.css'

type Webhook = Schemas['Webhook']
type WithSecret = Schemas['WebhookWithSecret']

export function Webhooks() {
  const { organization } = useSession()
  const webhooks = usePages<Webhook>('webhooks', [organization.id], (cursor, signal) =>
    ask(
      api.GET('/v1/organizations/{organizationId}/webhooks', {
        params: { path: { organizationId: organization.id }, query: { cursor } },
        signal,
      }),
    ),
  )
  return (
    <section className={styles.section}>
      <header className={styles.bar}>
        <h2>Webhooks</h2>
        <Button kind="primary" icon="plus" onClick={() => showDialog(close => <NewWebhook onClose={close} />)}>
          New webhook
        </Button>
      </header>
      <p className={styles.soft}>
        crier tells your server what happens, signed, at least once: a post was published, an account needs you.
      </p>
      <List
        pages={webhooks}
        empty={
          <EmptyState icon="link" title="No server is told yet">
            Add the address of one, and send it a test.
          </EmptyState>
        }
      >
        {list => (
          <ul className={styles.list}>
            {list.map(w => (
              <WebhookItem key={w.id} webhook={w} />
            ))}
          </ul>
        )}
      </List>
    </section>
  )
}

const showSecret = (made: WithSecret) =>
  showOnce({
    title: 'The secret that signs',
    note: 'It is shown this once. Your server checks signatures with it (Standard Webhooks).',
    label: 'Secret',
    text: made.secret ?? '',
  })

function WebhookItem({ webhook: w }: { webhook: Webhook }) {
  const { organization } = useSession()
  const { busy, problem, run } = useChange('webhooks')
  const [open, setOpen] = useState(false)
  const one = { params: { path: { organizationId: organization.id, id: w.id } } }
  const test = () =>
    run(() => ask(api.POST('/v1/organizations/{organizationId}/webhooks/{id}/test', one)), 'A test is on its way')
  const enable = (status: Webhook['status']) =>
    run(
      () => ask(api.PATCH('/v1/organizations/{organizationId}/webhooks/{id}', { ...one, body: { status } })),
      status === 'enabled' ? 'It is told again' : 'It is not told any more',
    )
  const rotate = () => {
    const body = { graceSeconds: 3600 }
    run(() => ask(api.POST('/v1/organizations/{organizationId}/webhooks/{id}/rotate', { ...one, body })), showSecret)
  }
  const remove = () =>
    askFirst({
      title: 'Delete the webhook?',
      text: `${w.url} is not told of anything any more. Its deliveries are forgotten.`,
      action: 'Delete',
      run: () =>
        run(() => ask(api.DELETE('/v1/organizations/{organizationId}/webhooks/{id}', one)), 'The webhook is deleted'),
    })
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p>
          <strong>{w.url}</strong>{' '}
          {w.status === 'enabled' ? (
            <Badge icon="check" tone="good">
              On
            </Badge>
          ) : (
            <Badge icon="stop" tone="bad">
              Off
            </Badge>
          )}
        </p>
        <p className={styles.soft}>
          {w.description && `${w.description} · `}
          {w.types.includes('*') ? 'everything' : w.types.join(', ')}
        </p>
        {w.disabledReason && <Problem>{w.disabledReason}</Problem>}
        {w.failingSince && (
          <Problem>
            No delivery has succeeded since <Time at={w.failingSince} style="short" />.
          </Problem>
        )}
        <Problem>{general(problem)}</Problem>
      </div>
      <ButtonRow end>
        <Button size="small" aria-label={`Send a test to ${w.url}`} busy={busy} onClick={test}>
          Send a test
        </Button>
        <Menu
          label={`More for ${w.url}`}
          size="small"
          trigger={<Icon name="more" size={16} />}
          items={[
            w.status === 'enabled'
              ? { label: 'Switch off', icon: 'stop', onSelect: () => enable('disabled') }
              : { label: 'Switch on', icon: 'check', onSelect: () => enable('enabled') },
            { label: 'New secret; the old one signs for an hour', icon: 'refresh', onSelect: rotate },
            'line',
            { label: 'Delete…', icon: 'trash', danger: true, onSelect: remove },
          ]}
        />
      </ButtonRow>
      <details className={styles.below} onToggle={e => setOpen(e.currentTarget.open)}>
        <summary>Deliveries</summary>
        {open && <Deliveries webhook={w.id} />}
      </details>
    </li>
  )
}

/** The types that people ask for most; everything else is behind "everything". */
const common = [
  'scheduled_post.published',
  'scheduled_post.failed',
  'scheduled_post.missed',
  'scheduled_post.unknown',
  'social_account.health_changed',
  'post.created',
]

function NewWebhook({ onClose }: { onClose: () => void }) {
  const { organization, teams } = useSession()
  const { busy, problem, run, edited } = useChange('webhooks')
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [types, setTypes] = useState<string[] | null>(null)
  const [teamIds, setTeamIds] = useState<string[] | null>(null)
  const add = (e: FormEvent) => {
    e.preventDefault()
    run(
      () =>
        ask(
          api.POST('/v1/organizations/{organizationId}/webhooks', {
            params: { path: { organizationId: organization.id } },
            body: {
              url,
              types: types ?? ['*'],
              teamIds: teamIds ?? undefined,
              description: description.trim() || null,
            },
          }),
        ),
      made => {
        onClose()
        showSecret(made)
      },
    )
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form className={styles.form} onSubmit={add} onChange={edited}>
        <Field
          label="Address"
          name="url"
          type="url"
          placeholder="https://example.com/crier"
          value={url}
          onChange={e => setUrl(e.target.value)}
          problem={about(problem, 'url')}
          required
        />
        <Field
          label="What it is for"
          name="description"
          value={description}
          onChange={e => setDescription(e.target.value)}
          problem={about(problem, 'description')}
        />
        <fieldset className={styles.choice}>
          <legend>What it is told</legend>
          <label>
            <input
              type="checkbox"
              checked={types === null}
              onChange={e => setTypes(e.target.checked ? null : common)}
            />{' '}
            Everything
          </label>
          {types !== null &&
            common.map(t => (
              <label key={t}>
                <input
                  type="checkbox"
                  checked={types.includes(t)}
                  onChange={e => setTypes(e.target.checked ? [...types, t] : types.filter(v => v !== t))}
                />{' '}
                <code>{t}</code>
              </label>
            ))}
        </fieldset>
        <TeamChoice
          teams={teams.filter(t => t.organizationId === organization.id)}
          value={teamIds}
          onChange={setTeamIds}
        />
        <Problem>{general(problem, 'url', 'description')}</Problem>
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Add it
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}
