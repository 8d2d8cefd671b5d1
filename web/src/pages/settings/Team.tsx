import type { FormEvent } from 'react'
import { api, ask } from '../../api/client'
import { type Team as TeamOfSession, useCan, useSession } from '../../session'
import { Button, ButtonRow, Checkbox, Field, Select } from '../../ui'
import { changesOf, useEdits } from '../../ui/useEdits'
import { about, general, useChange } from './form'
import { NewTeam } from './NewTeam'
import { Problem } from './parts'
import styles from './settings.module.css'

const zones = Intl.supportedValuesOf('timeZone')

const fieldsOf = (t: TeamOfSession) => ({
  name: t.name,
  website: t.website ?? '',
  timezone: t.timezone ?? '',
  late: String(t.publishLateMinutes),
  approval: t.requireApproval,
})

const bodyOf = (form: ReturnType<typeof fieldsOf>) => ({
  name: form.name,
  website: form.website.trim() || null,
  timezone: form.timezone || null,
  publishLateMinutes: Number(form.late),
  requireApproval: form.approval,
})

export function Team() {
  const { team } = useSession()
  const mayChange = useCan('manage_teams')
  const mayApprove = useCan('approve_posts')
  const mayCreate = useCan('create_teams')
  const { busy, problem, run, edited } = useChange('context', 'calendar', 'slots')
  const now = fieldsOf(team)
  const { form, edit, saved } = useEdits(now)
  const save = async (e: FormEvent) => {
    e.preventDefault()
    const body = changesOf(bodyOf(now), bodyOf(form))
    const done = await run(
      () => ask(api.PATCH('/v1/teams/{teamId}', { params: { path: { teamId: team.id } }, body })),
      'The team is saved',
    )
    if (done) saved(form)
  }
  const { timezone } = form
  const known = timezone === '' || zones.includes(timezone) ? zones : [timezone, ...zones]
  return (
    <>
      <form className={styles.form} onSubmit={save} onChange={edited}>
        <h2>Team</h2>
        <Field
          label="Name"
          name="name"
          value={form.name}
          onChange={e => edit({ name: e.target.value })}
          readOnly={!mayChange}
          problem={about(problem, 'name')}
          required
        />
        <Field
          label="Website"
          type="url"
          placeholder="https://example.com"
          name="website"
          value={form.website}
          onChange={e => edit({ website: e.target.value })}
          readOnly={!mayChange}
          problem={about(problem, 'website')}
        />
        <Select
          label="Time zone"
          hint="Slots and the calendar follow the clocks of this zone, also when they change."
          name="timezone"
          value={timezone}
          onChange={e => edit({ timezone: e.target.value })}
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
          min={0}
          max={1440}
          name="publishLateMinutes"
          value={form.late}
          onChange={e => edit({ late: e.target.value })}
          readOnly={!mayChange}
          problem={about(problem, 'publishLateMinutes')}
          required
        />
        <Checkbox
          label="Posts need an approval before they are scheduled"
          checked={form.approval}
          disabled={!mayChange || !mayApprove}
          onChange={e => edit({ approval: e.target.checked })}
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
