import { type FormEvent, useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useSession } from '../../session'
import {
  Avatar,
  askFirst,
  Button,
  ButtonRow,
  Dialog,
  EmptyState,
  Field,
  IconButton,
  Select,
  showDialog,
  Time,
  toast,
  toastError,
} from '../../ui'
import { changesOf, useEdits } from '../../ui/useEdits'
import { about, general, useChange } from './form'
import { List, Problem, type Role, roleNotes, rolesWithin, showOnce, TeamChoice, usePages } from './parts'
import styles from './settings.module.css'

type Member = Schemas['Member']
type Invitation = Schemas['Invitation']

export function Members() {
  const { organization } = useSession()
  const path = { organizationId: organization.id }
  const members = usePages<Member>('members', [organization.id], (cursor, signal) =>
    ask(api.GET('/v1/organizations/{organizationId}/members', { params: { path, query: { cursor } }, signal })),
  )
  const invitations = usePages<Invitation>('members', [organization.id, 'invited'], (cursor, signal) =>
    ask(api.GET('/v1/organizations/{organizationId}/invitations', { params: { path, query: { cursor } }, signal })),
  )
  const [inviting, setInviting] = useState(false)
  return (
    <>
      <section className={styles.section}>
        <header className={styles.bar}>
          <h2>Members</h2>
          <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite somebody
          </Button>
        </header>
        <List pages={members} empty={<EmptyState icon="accounts" title="Nobody is here" />}>
          {list => (
            <ul className={styles.list}>
              {list.map(m => (
                <MemberItem key={m.id} member={m} only={m.role === 'owner' && owners(list) === 1} />
              ))}
            </ul>
          )}
        </List>
      </section>
      {(invitations.error || (invitations.data?.list.length ?? 0) > 0) && (
        <section className={styles.section}>
          <h2>Invited</h2>
          <List pages={invitations} empty={null}>
            {list => (
              <ul className={styles.list}>
                {list.map(i => (
                  <InvitationItem key={i.id} invitation={i} />
                ))}
              </ul>
            )}
          </List>
        </section>
      )}
      {inviting && <Invite onClose={() => setInviting(false)} />}
    </>
  )
}

function useTeamNames() {
  const { organization, teams } = useSession()
  const own = teams.filter(t => t.organizationId === organization.id)
  const names = (ids: string[] | null) =>
    ids === null ? 'all teams' : ids.map(id => own.find(t => t.id === id)?.name ?? 'a team').join(', ') || 'no team'
  return { own, names }
}

const owners = (list: Member[]) => list.filter(m => m.role === 'owner').length

/** only: the last owner, whom nobody can remove. */
function MemberItem({ member: m, only }: { member: Member; only: boolean }) {
  const { organization, user } = useSession()
  const { names } = useTeamNames()
  // Only owners change owners.
  const mayChange = rolesWithin(organization.role).includes(m.role)
  const { run } = useChange('members', 'context')
  const path = { organizationId: organization.id, memberId: m.id }
  const remove = () =>
    run(async () => {
      try {
        await ask(api.DELETE('/v1/organizations/{organizationId}/members/{memberId}', { params: { path } }))
      } catch (e) {
        toastError(`${m.name} was not removed`, e)
        throw e
      }
    }, `${m.name} is removed`)
  const askToRemove = () =>
    askFirst({
      title: `Remove ${m.name}?`,
      text: 'They lose access at once, and the API keys that they made stop working. Posts and accounts stay.',
      action: 'Remove',
      run: remove,
    })
  return (
    <li className={styles.item}>
      <Avatar name={m.name} size={36} />
      <div className={styles.text}>
        <p>
          <strong dir="auto">{m.name}</strong> {m.userId === user?.id && <span className={styles.soft}>(you)</span>}
        </p>
        <p className={styles.soft}>
          {m.email} · {m.role}, {names(m.teamIds)}
        </p>
      </div>
      {mayChange && (
        <ButtonRow end>
          <Button
            size="small"
            aria-label={`Change ${m.name}`}
            onClick={() => showDialog(close => <ChangeMember member={m} onClose={close} />)}
          >
            Change
          </Button>
          {!only && <IconButton size="small" icon="trash" label={`Remove ${m.name}`} onClick={askToRemove} />}
        </ButtonRow>
      )}
    </li>
  )
}

/** Nobody gives a role above their own. */
function RoleSelect({ value, onChange, problem }: { value: Role; onChange: (r: Role) => void; problem?: string }) {
  const { organization } = useSession()
  return (
    <Select label="Role" name="role" value={value} onChange={e => onChange(e.target.value as Role)} problem={problem}>
      {rolesWithin(organization.role).map(r => (
        <option key={r} value={r}>
          {r}: {roleNotes[r]}
        </option>
      ))}
    </Select>
  )
}

function ChangeMember({ member: m, onClose }: { member: Member; onClose: () => void }) {
  const { organization } = useSession()
  const { own } = useTeamNames()
  const { busy, problem, run, edited } = useChange('members', 'context')
  const { form, edit } = useEdits({ role: m.role, teamIds: m.teamIds })
  const save = async (e: FormEvent) => {
    e.preventDefault()
    const done = await run(
      () =>
        ask(
          api.PATCH('/v1/organizations/{organizationId}/members/{memberId}', {
            params: { path: { organizationId: organization.id, memberId: m.id } },
            body: changesOf({ role: m.role, teamIds: m.teamIds }, form),
          }),
        ),
      `${m.name} is ${form.role} now`,
    )
    if (done) onClose()
  }
  return (
    <Dialog title={`Change ${m.name}`} onClose={onClose}>
      <form className={styles.form} onSubmit={save} onChange={edited}>
        <RoleSelect value={form.role} onChange={role => edit({ role })} problem={about(problem, 'role')} />
        <TeamChoice teams={own} value={form.teamIds} onChange={teamIds => edit({ teamIds })} />
        <Problem>{general(problem, 'role')}</Problem>
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Save
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}

function InvitationItem({ invitation: i }: { invitation: Invitation }) {
  const { organization } = useSession()
  const { names } = useTeamNames()
  const { busy, problem, run } = useChange('members')
  const path = { organizationId: organization.id, invitationId: i.id }
  const withdraw = () =>
    run(
      () => ask(api.DELETE('/v1/organizations/{organizationId}/invitations/{invitationId}', { params: { path } })),
      `The invitation of ${i.email} is withdrawn`,
    )
  return (
    <li className={styles.item}>
      <div className={styles.text}>
        <p>{i.email}</p>
        <p className={styles.soft}>
          {i.role}, {names(i.teamIds)} · until <Time at={i.expiresAt} style="day" />
        </p>
        <Problem>{general(problem)}</Problem>
      </div>
      <Button size="small" aria-label={`Withdraw the invitation of ${i.email}`} busy={busy} onClick={withdraw}>
        Withdraw
      </Button>
    </li>
  )
}

/** The link is told once, and only where the server sends no mail. */
const showInvited = ({ email, inviteUrl }: Invitation) =>
  inviteUrl
    ? showOnce({
        title: `${email} is invited`,
        note: 'This server sends no mail. Give the link to the person, and to nobody else:',
        label: 'Link of the invitation',
        text: inviteUrl,
      })
    : toast(`${email} is invited: the link is on its way by mail`)

function Invite({ onClose }: { onClose: () => void }) {
  const { organization } = useSession()
  const { own } = useTeamNames()
  const { busy, problem, run, edited } = useChange('members')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const [teamIds, setTeamIds] = useState<string[] | null>(null)
  const send = (e: FormEvent) => {
    e.preventDefault()
    run(
      () =>
        ask(
          api.POST('/v1/organizations/{organizationId}/members', {
            params: { path: { organizationId: organization.id } },
            body: { email, role, teamIds },
          }),
        ),
      made => {
        onClose()
        showInvited(made)
      },
    )
  }
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form className={styles.form} onSubmit={send} onChange={edited}>
        <Field
          label="E-mail address"
          name="email"
          type="email"
          value={email}
          onChange={e => setEmail(e.target.value)}
          problem={about(problem, 'email')}
          required
        />
        <RoleSelect value={role} onChange={setRole} problem={about(problem, 'role')} />
        <TeamChoice teams={own} value={teamIds} onChange={setTeamIds} />
        <Problem>{general(problem, 'email', 'role')}</Problem>
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Invite
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}
