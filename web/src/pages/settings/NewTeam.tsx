import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client'
import { useSession } from '../../session'
import { Button, Field } from '../../ui'
import { about, general, useChange } from './form'
import { Problem } from './parts'
import styles from './settings.module.css'

/** Makes another team and goes there. */
export function NewTeam() {
  const { organization, team } = useSession()
  const navigate = useNavigate()
  const { busy, problem, run, edited } = useChange('context')
  const [name, setName] = useState('')
  const add = async (e: FormEvent) => {
    e.preventDefault()
    const made = await run(
      () => ask(api.POST('/v1/teams', { body: { organizationId: organization.id, name, timezone: team.timezone } })),
      `The team ${name} is there`,
    )
    if (made) navigate({ to: '/accounts', search: { team: made.id } as never })
  }
  return (
    <form className={styles.form} onSubmit={add} onChange={edited}>
      <h2>Another team</h2>
      <p className={styles.soft}>A team has its own accounts, posts, media and slots.</p>
      <Field
        label="Name of the new team"
        name="name"
        value={name}
        onChange={e => setName(e.target.value)}
        problem={about(problem, 'name')}
        required
      />
      <Problem>{general(problem, 'name')}</Problem>
      <Button type="submit" busy={busy}>
        Add the team
      </Button>
    </form>
  )
}
