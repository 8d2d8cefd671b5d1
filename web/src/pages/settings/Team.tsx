import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client'
import { useCan, useSession } from '../../session'
import { Button, ButtonRow, Checkbox, Field, Select } from '../../ui'
import { about, general, useChange } from './form'
import { NewTeam } from './NewTeam'
import { Problem } from './parts'
import styles from './settings.module.css'

const zones = Intl.supportedValuesOf('timeZone')

export function Team() {
  const { team } = useSession()
  const mayChange = useCan('manage_teams')
  const mayApprove = useCan('approve_posts')
  const mayCreate = useCan('create_teams')
  const { busy, problem, run } = useChange('context', 'calendar', 'slots')
  const [name, setName] = useState(team.name)
  const [website, setWebsite] = useState(team.website ?? '')
  const [timezone, setTimezone] = useState(team.timezone ?? '')
  const [approval, setApproval] = useState(team.requireApproval)
  const [late, setLate] = useState(String(team.publishLateMinutes))
  const save = (e: FormEvent) => {
    e.preventDefault()
    run(
      () =>
        ask(
          api.PATCH('/v1/teams/{teamId}', {
            params: { path: { teamId: team.id } },
            body: {
              name,
              website: website.trim() || null,
              timezone: timezone || null,
              publishLateMinutes: Number(late),
              ...(approval === team.requireApproval ? {} : { requireApproval: approval }),
            },
          }),
        ),
      'The team is saved',
    )
  }
  const known = timezone === '' || zones.includes(timezone) ? zones : [timezone, ...zones]
  return (
    <>
      <form className={styles.form} onSubmit={save}>
        <h2>Team</h2>
        <Field
          label="Name"
          value={name}
          onChange={e => setName(e.target.value)}
          readOnly={!mayChange}
          problem={about(problem, 'name')}
          required
        />
        <Field
          label="Website"
          type="url"
          placeholder="https://example.com"
          value={website}
          onChange={e => setWebsite(e.target.value)}
          readOnly={!mayChange}
          problem={about(problem, 'website')}
        />
        <Select
          label="Time zone"
          hint="Slots and the calendar follow the clocks of this zone, also when they change."
          value={timezone}
          onChange={e => setTimezone(e.target.value)}
          disabled={!mayChange}
          problem={about(problem, 'timezone')}
        >
          <option value="">None: UTC</option>
          {known.map(z => (
            <option key={z}>{z}</option>
          ))}
        </Select>
        <Field
          label="How late a post may go out, in minutes"
          hint="What cannot be sent by then is missed and waits for a person: nothing goes out a day late by itself."
          type="number"
          inputMode="numeric"
          value={late}
          onChange={e => setLate(e.target.value)}
          readOnly={!mayChange}
          problem={about(problem, 'publishLateMinutes')}
        />
        <Checkbox
          label="Posts need an approval before they are scheduled"
          checked={approval}
          disabled={!mayChange || !mayApprove}
          onChange={e => setApproval(e.target.checked)}
        />
        <p className={styles.id}>
          Id <code>{team.id}</code>
        </p>
        <Problem>{general(problem, 'name', 'website', 'timezone', 'publishLateMinutes')}</Problem>
        {mayChange && (
          <ButtonRow>
            <Button kind="primary" type="submit" busy={busy}>
              Save
            </Button>
          </ButtonRow>
        )}
      </form>
      {mayCreate && <NewTeam />}
    </>
  )
}
