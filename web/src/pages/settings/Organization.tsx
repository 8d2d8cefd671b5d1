import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client'
import { useCan, useSession } from '../../session'
import { Button, ButtonRow, Checkbox, Field } from '../../ui'
import { about, general, useChange } from './form'
import { Problem } from './parts'
import styles from './settings.module.css'

export function Organization() {
  const { organization: o } = useSession()
  const mayChange = useCan('manage_organization')
  const { busy, problem, run } = useChange('context')
  const [name, setName] = useState(o.name)
  const [email, setEmail] = useState(o.billingEmail ?? '')
  const [paid, setPaid] = useState(o.metricsPolicy === 'all')
  const save = (e: FormEvent) => {
    e.preventDefault()
    run(
      () =>
        ask(
          api.PATCH('/v1/organizations/{organizationId}', {
            params: { path: { organizationId: o.id } },
            body: { name, billingEmail: email.trim() || null, metricsPolicy: paid ? 'all' : 'free' },
          }),
        ),
      'The organization is saved',
    )
  }
  return (
    <form className={styles.form} onSubmit={save}>
      <h2>Organization</h2>
      <Field
        label="Name"
        value={name}
        onChange={e => setName(e.target.value)}
        readOnly={!mayChange}
        problem={about(problem, 'name')}
        required
      />
      <Field
        label="E-mail for invoices"
        type="email"
        value={email}
        onChange={e => setEmail(e.target.value)}
        readOnly={!mayChange}
        problem={about(problem, 'billingEmail')}
      />
      <Checkbox
        label="Read numbers that a network charges for"
        hint="Each reading costs credits; the list of costs is under Credits. Without it such posts have no numbers."
        checked={paid}
        disabled={!mayChange}
        onChange={e => setPaid(e.target.checked)}
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
