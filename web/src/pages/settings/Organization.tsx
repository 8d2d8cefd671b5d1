import type { FormEvent } from 'react'
import { api, ask } from '../../api/client'
import { type Organization as OrganizationOfSession, useCan, useSession } from '../../session'
import { Button, ButtonRow, Checkbox, Field } from '../../ui'
import { changesOf, useEdits } from '../../ui/useEdits'
import { about, general, useChange } from './form'
import { Problem } from './parts'
import styles from './settings.module.css'

const fieldsOf = (o: OrganizationOfSession) => ({
  name: o.name,
  email: o.billingEmail ?? '',
  paid: o.metricsPolicy === 'all',
})

const bodyOf = (form: ReturnType<typeof fieldsOf>) => ({
  name: form.name,
  billingEmail: form.email.trim() || null,
  metricsPolicy: form.paid ? ('all' as const) : ('free' as const),
})

export function Organization() {
  const { organization: o } = useSession()
  const mayChange = useCan('manage_organization')
  const { busy, problem, run, edited } = useChange('context')
  const now = fieldsOf(o)
  const { form, edit, saved } = useEdits(now)
  const save = async (e: FormEvent) => {
    e.preventDefault()
    const path = { organizationId: o.id }
    const body = changesOf(bodyOf(now), bodyOf(form))
    const done = await run(
      () => ask(api.PATCH('/v1/organizations/{organizationId}', { params: { path }, body })),
      'The organization is saved',
    )
    if (done) saved(form)
  }
  return (
    <form className={styles.form} onSubmit={save} onChange={edited}>
      <h2>Organization</h2>
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
        label="E-mail for invoices"
        type="email"
        name="billingEmail"
        value={form.email}
        onChange={e => edit({ email: e.target.value })}
        readOnly={!mayChange}
        problem={about(problem, 'billingEmail')}
      />
      <Checkbox
        label="Read numbers that a network charges for"
        hint="Each reading costs credits; the list of costs is under Credits. Without it such posts have no numbers."
        checked={form.paid}
        disabled={!mayChange}
        onChange={e => edit({ paid: e.target.checked })}
      />
      <p className={styles.id}>
        Id <code>{o.id}</code>
      </p>
      <Problem>{general(problem, 'name', 'billingEmail')}</Problem>
      {mayChange && (
        <ButtonRow>
          <Button kind="primary" type="submit" busy={busy}>
            Save
          </Button>
        </ButtonRow>
      )}
    </form>
  )
}
