import { api, ask, type Schemas } from '../../api/client'
import { useSession } from '../../session'
import { EmptyState, Time } from '../../ui'
import { List, usePages } from './parts'
import styles from './settings.module.css'

type Entry = Schemas['AuditEntry']

export function Audit() {
  const { organization, user } = useSession()
  const path = { organizationId: organization.id }
  const entries = usePages<Entry>('audit', [organization.id], (cursor, signal) =>
    ask(
      api.GET('/v1/organizations/{organizationId}/audit-log', {
        params: { path, query: { cursor, limit: '50' } },
        signal,
      }),
    ),
  )
  const members = usePages<Schemas['Member']>('members', [organization.id], (cursor, signal) =>
    ask(api.GET('/v1/organizations/{organizationId}/members', { params: { path, query: { cursor } }, signal })),
  )
  const nameOf = (e: Entry) => {
    const person = e.personId === user?.id ? 'you' : members.data?.list.find(m => m.userId === e.personId)?.name
    return `${person ?? 'somebody who has left'}${e.principalKind === 'api_key' ? ', by an API key' : ''}`
  }
  return (
    <section className={styles.section}>
      <h2>Audit log</h2>
      <p className={styles.soft}>Every change that was made through crier, by whom, without secrets.</p>
      <List pages={entries} empty={<EmptyState title="Nothing was changed yet" />}>
        {list => (
          <ul className={styles.list}>
            {list.map(e => (
              <li key={e.id} className={styles.item}>
                <div className={styles.text}>
                  <p>
                    <strong>{inWords(e.action)}</strong> <span className={styles.soft}>{nameOf(e)}</span>
                  </p>
                  <p className={styles.soft}>
                    <Time at={e.createdAt} style="second" /> <Time at={e.createdAt} style="day" />
                  </p>
                  <details>
                    <summary>Request</summary>
                    <p>
                      <code>{e.target}</code>
                    </p>
                    <pre className={styles.exchange}>{JSON.stringify(e.changes, null, 2)}</pre>
                    <p className={styles.soft}>
                      Request <code>{e.requestId}</code>
                    </p>
                  </details>
                </div>
              </li>
            ))}
          </ul>
        )}
      </List>
    </section>
  )
}

/** rotateApiKey → Rotate api key: the operations of the interface are named by verb and noun. */
export function inWords(action: string): string {
  const words = action.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
