import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useIntents } from '../../api/intents'
import { key as queryKey } from '../../api/query'
import { useSession } from '../../session'
import { askFirst, Button, ButtonRow, Dialog, EmptyState, Field, Select, showDialog, Time, toastError } from '../../ui'
import { startOfDay } from '../../zone'
import { about, general, useChange } from './form'
import { List, Problem, type Role, roleNotes, rolesWithin, showOnce, TeamChoice, usePages } from './parts'
import styles from './settings.module.css'

type Key = Schemas['APIKey']
type Secret = Schemas['APIKeyWithSecret']

export function Keys() {
  const { organization } = useSession()
  const keys = usePages<Key>('keys', [organization.id], (cursor, signal) =>
    ask(
      api.GET('/v1/organizations/{organizationId}/api-keys', {
        params: { path: { organizationId: organization.id }, query: { cursor } },
        signal,
      }),
    ),
  )
  return (
    <section className={styles.section}>
      <header className={styles.bar}>
        <h2>API keys</h2>
        <Button kind="primary" icon="plus" onClick={() => showDialog(close => <NewKey onClose={close} />)}>
          New key
        </Button>
      </header>
      <p className={styles.soft}>
        For programs, scripts and agents. A key never may do more than whoever made it.{' '}
        <a href="/docs">The reference</a>
      </p>
      <List pages={keys} empty={<EmptyState icon="lock" title="There is no key yet" />}>
        {list => (
          <ul className={styles.list}>
            {list.map(k => (
              <KeyItem key={k.id} item={k} />
            ))}
          </ul>
        )}
      </List>
    </section>
  )
}

const showSecret = (made: Secret) => {
  if (made.secret) {
    showOnce({
      title: `The secret of ${made.name}`,
      note: 'It is shown this once. Keep it where your program finds it, and nowhere else.',
      label: 'Secret',
      text: made.secret,
    })
  }
  // The key was made by an earlier try, and the secret was only in the answer that was lost.
  else toastError(`The secret of ${made.name} was lost on the way`, new Error('Rotate the key for a new one.'))
}

function KeyItem({ item: k }: { item: Key }) {
  const { organization, teams } = useSession()
  const { problem, run } = useChange('keys')
  const path = { organizationId: organization.id, id: k.id }
  const revoke = () =>
    askFirst({
      title: `Revoke ${k.name}?`,
      text: 'Programs that use it are refused at once. This cannot be taken back.',
      action: 'Revoke',
      run: () =>
        run(
          () => ask(api.DELETE('/v1/organizations/{organizationId}/api-keys/{id}', { params: { path } })),
          `${k.name} is revoked`,
        ),
    })
  const teamNames = k.teamIds?.map(id => teams.find(t => t.id === id)?.name ?? 'a team').join(', ')
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p>
          <strong dir="auto">{k.name}</strong> <code>…{k.lastFour}</code>
        </p>
        <p className={styles.soft}>
          {k.role}, {teamNames ?? 'all teams'}
          {k.permissions && `, only ${k.permissions.join(', ')}`}
        </p>
        <p className={styles.soft}>
          {k.lastUsedAt ? (
            <>
              used <Time at={k.lastUsedAt} style="short" />
            </>
          ) : (
            'never used'
          )}
          {k.expiresAt && (
            <>
              {' '}
              · ends <Time at={k.expiresAt} style="short" />
            </>
          )}
        </p>
        <Problem>{general(problem)}</Problem>
      </div>
      <ButtonRow end>
        {rolesWithin(organization.role).includes(k.role) && (
          <Button
            size="small"
            aria-label={`Rotate ${k.name}`}
            onClick={() => showDialog(close => <Rotate item={k} onClose={close} />)}
          >
            Rotate
          </Button>
        )}
        <Button size="small" aria-label={`Revoke ${k.name}`} onClick={revoke}>
          Revoke
        </Button>
      </ButtonRow>
    </li>
  )
}

const graces = [
  [0, 'stops at once'],
  [3600, 'works for another hour'],
  [86400, 'works for another day'],
] as const

function Rotate({ item: k, onClose }: { item: Key; onClose: () => void }) {
  const { organization } = useSession()
  const { busy, problem, run } = useChange('keys')
  const [grace, setGrace] = useState(3600)
  const rotate = (e: FormEvent) => {
    e.preventDefault()
    run(
      () =>
        ask(
          api.POST('/v1/organizations/{organizationId}/api-keys/{id}/rotate', {
            params: { path: { organizationId: organization.id, id: k.id } },
            body: { graceSeconds: grace },
          }),
        ),
      made => {
        onClose()
        showSecret(made)
      },
    )
  }
  return (
    <Dialog title={`A new secret for ${k.name}`} onClose={onClose}>
      <form className={styles.form} onSubmit={rotate}>
        <Select label="The old secret" value={grace} onChange={e => setGrace(Number(e.target.value))}>
          {graces.map(([seconds, words]) => (
            <option key={seconds} value={seconds}>
              {words}
            </option>
          ))}
        </Select>
        <Problem>{general(problem)}</Problem>
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Rotate
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}

function NewKey({ onClose }: { onClose: () => void }) {
  const { organization, teams, zone } = useSession()
  const { busy, problem, run, edited } = useChange('keys')
  const intents = useIntents()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const [teamIds, setTeamIds] = useState<string[] | null>(null)
  const [permissions, setPermissions] = useState<Schemas['APIKeyCreate']['permissions']>(null)
  const [ends, setEnds] = useState('')
  const add = (e: FormEvent) => {
    e.preventDefault()
    const body = {
      name,
      role,
      teamIds,
      permissions,
      expiresAt: ends ? new Date(startOfDay(ends, zone)).toISOString() : null,
    }
    run(
      () =>
        ask(
          api.POST('/v1/organizations/{organizationId}/api-keys', {
            params: { path: { organizationId: organization.id } },
            headers: intents.keyFor('create', { organization: organization.id, body }),
            body,
          }),
        ),
      made => {
        onClose()
        showSecret(made)
      },
    )
  }
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form className={styles.form} onSubmit={add} onChange={edited}>
        <Field
          label="Name"
          name="name"
          hint="What will use it: that is how you find it again."
          value={name}
          onChange={e => setName(e.target.value)}
          problem={about(problem, 'name')}
          required
        />
        <Select
          label="Role"
          name="role"
          value={role}
          onChange={e => setRole(e.target.value as Role)}
          problem={about(problem, 'role')}
        >
          {rolesWithin(organization.role).map(r => (
            <option key={r} value={r}>
              {r}: {roleNotes[r]}
            </option>
          ))}
        </Select>
        <PermissionChoice role={role} value={permissions ?? null} onChange={setPermissions} />
        <TeamChoice
          teams={teams.filter(t => t.organizationId === organization.id)}
          value={teamIds}
          onChange={setTeamIds}
        />
        <Field
          label="Ends on"
          name="expiresAt"
          hint="Leave it empty for a key that lasts."
          type="date"
          value={ends}
          onChange={e => setEnds(e.target.value)}
          problem={about(problem, 'expiresAt')}
        />
        <Problem>{general(problem, 'name', 'role', 'expiresAt')}</Problem>
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Make the key
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}

/** Narrows a key to some of the permissions that its role holds, as the server lists them. */
function PermissionChoice({
  role,
  value,
  onChange,
}: {
  role: Role
  value: NonNullable<Schemas['APIKeyCreate']['permissions']> | null
  onChange: (p: NonNullable<Schemas['APIKeyCreate']['permissions']> | null) => void
}) {
  const catalogue = useQuery({
    queryKey: queryKey('keys', 'permissions'),
    queryFn: ({ signal }) => ask(api.GET('/v1/permissions', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const held = catalogue.data?.data.filter(p => (p.roles as string[]).includes(role)) ?? []
  return (
    <fieldset className={styles.choice}>
      <legend>Permissions</legend>
      <label>
        <input type="checkbox" checked={value === null} onChange={e => onChange(e.target.checked ? null : [])} /> All
        that the role holds
      </label>
      {value !== null &&
        held.map(p => (
          <label key={p.permission}>
            <input
              type="checkbox"
              checked={value.includes(p.permission)}
              onChange={e =>
                onChange(e.target.checked ? [...value, p.permission] : value.filter(v => v !== p.permission))
              }
            />{' '}
            {p.permission}
          </label>
        ))}
    </fieldset>
  )
}
