import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { key } from '../../api/query'
import { useSession } from '../../session'
import { EmptyState, Time } from '../../ui'
import { List, usePages } from './parts'
import styles from './settings.module.css'

type Entry = Schemas['AuditEntry']

const left = 'somebody who has left'

/** The names of all members by their user ids: whoever is missing has left. */
async function namesOfMembers(organizationId: string, signal: AbortSignal): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  let cursor: string | undefined
  do {
    const params = { path: { organizationId }, query: { cursor, limit: '100' } }
    const page: Schemas['MemberPage'] = await ask(
      api.GET('/v1/organizations/{organizationId}/members', { params, signal }),
    )
    for (const m of page.data) names.set(m.userId, m.name)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return names
}

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
  const people = useQuery({
    queryKey: key('members', organization.id, 'names'),
    queryFn: ({ signal }) => namesOfMembers(organization.id, signal),
  })
  const nameOf = (e: Entry) => {
    const person = e.personId === user?.id ? 'you' : (people.data?.get(e.personId) ?? (people.data ? left : '…'))
    return `${person}${e.principalKind === 'api_key' ? ', by an API key' : ''}`
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
                    <strong>{inWords(e.action)}</strong>{' '}
                    <span className={styles.soft} dir="auto">
                      {nameOf(e)}
                    </span>
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
