import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../../api/client'
import { key } from '../../api/query'
import { Badge, Button, Loaded, Time } from '../../ui'
import { browserName } from './browserName'
import { general, useChange } from './form'
import { Problem } from './parts'
import styles from './settings.module.css'

type Session = Schemas['Session']

/** Where the person is signed in: browsers and devices, each with a sign-out of its own. */
export function Sessions() {
  const sessions = useQuery({
    queryKey: key('context', 'sessions'),
    queryFn: async ({ signal }) => (await ask(api.GET('/v1/me/sessions', { signal }))).data,
  })
  return (
    <section className={styles.section}>
      <h2>Signed in at</h2>
      <Loaded query={sessions}>
        {list => (
          <ul className={styles.list}>
            {list.map(s => (
              <SessionItem key={s.id} session={s} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

const sessionName = (s: Session) => {
  if (s.kind === 'access_token') return s.name || 'A device'
  return browserName(s.name)
}

function SessionItem({ session: s }: { session: Session }) {
  const { busy, problem, run } = useChange('context')
  const end = () =>
    run(
      () => ask(api.DELETE('/v1/me/sessions/{id}', { params: { path: { id: s.id } } })),
      `${sessionName(s)} is signed out`,
    )
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p>
          <strong dir="auto">{sessionName(s)}</strong> {s.current && <Badge icon="check">This one</Badge>}
        </p>
        <p className={styles.soft}>
          since <Time at={s.createdAt} style="short" />
          {s.lastUsedAt && (
            <>
              {' '}
              · last used <Time at={s.lastUsedAt} style="short" />
            </>
          )}
        </p>
        <Problem>{general(problem)}</Problem>
      </div>
      {!s.current && (
        <Button size="small" aria-label={`Sign out ${sessionName(s)}`} busy={busy} onClick={end}>
          Sign out
        </Button>
      )}
    </li>
  )
}
