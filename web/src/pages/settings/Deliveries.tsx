import { api, ask, type Schemas } from '../../api/client'
import { useSession } from '../../session'
import { Badge, Button, EmptyState, formatDuration, Time, type Tone } from '../../ui'
import { general, useChange } from './form'
import { List, Problem, usePages } from './parts'
import styles from './settings.module.css'

type Delivery = Schemas['WebhookDelivery']

const looks: Record<Delivery['status'], { word: string; tone: Tone; icon: 'check' | 'clock' | 'cross' }> = {
  delivered: { word: 'Delivered', tone: 'good', icon: 'check' },
  pending: { word: 'On its way', tone: 'info', icon: 'clock' },
  failed: { word: 'Given up', tone: 'bad', icon: 'cross' },
}

/** What was sent to a webhook, what it answered, and what happens next. */
export function Deliveries({ webhook }: { webhook: string }) {
  const { organization } = useSession()
  const path = { organizationId: organization.id, id: webhook }
  const deliveries = usePages<Delivery>(
    'webhooks',
    [organization.id, webhook, 'deliveries'],
    (cursor, signal) =>
      ask(
        api.GET('/v1/organizations/{organizationId}/webhooks/{id}/deliveries', {
          params: { path, query: { cursor } },
          signal,
        }),
      ),
    // No event tells how a delivery went: look again while one is on its way.
    list => (list.some(d => d.status === 'pending') ? 3000 : false),
  )
  return (
    <List pages={deliveries} empty={<EmptyState title="Nothing was sent yet" />}>
      {list => (
        <ul className={styles.list}>
          {list.map(d => (
            <DeliveryItem key={d.id} delivery={d} path={path} />
          ))}
        </ul>
      )}
    </List>
  )
}

function DeliveryItem({ delivery: d, path }: { delivery: Delivery; path: { organizationId: string; id: string } }) {
  const { busy, problem, run } = useChange('webhooks')
  const look = looks[d.status]
  const again = () =>
    run(
      () =>
        ask(
          api.POST('/v1/organizations/{organizationId}/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
            params: { path: { ...path, deliveryId: d.id } },
          }),
        ),
      'It is sent once more',
    )
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p>
          <code>{d.eventType}</code>{' '}
          <Badge icon={look.icon} tone={look.tone}>
            {look.word}
          </Badge>
        </p>
        <p className={styles.soft}>
          <Time at={d.createdAt} style="short" /> · {d.tries === 1 ? '1 try' : `${d.tries} tries`}
          {d.nextAttemptAt && (
            <>
              {' '}
              · next <Time at={d.nextAttemptAt} style="second" />
            </>
          )}
        </p>
      </div>
      <Button size="small" aria-label={`Send again: ${d.eventType}`} busy={busy} onClick={again}>
        Send again
      </Button>
      <div className={`${styles.text} ${styles.below}`}>
        {d.attempts.map(a => (
          <p key={a.at} className={styles.soft}>
            <Time at={a.at} style="second" /> {a.status ? `answered ${a.status}` : 'no answer'} after{' '}
            {formatDuration(a.durationMillis)}
            {a.error && `: ${a.error}`}
          </p>
        ))}
        <details>
          <summary>What was sent and answered</summary>
          <p className={styles.soft}>
            webhook-id <code>{d.eventId}</code>
          </p>
          <pre className={styles.exchange}>{d.requestBody ?? 'The event is not kept any more.'}</pre>
          {d.attempts[0]?.answer && <pre className={styles.exchange}>{d.attempts[0].answer}</pre>}
        </details>
        <Problem>{general(problem)}</Problem>
      </div>
    </li>
  )
}
