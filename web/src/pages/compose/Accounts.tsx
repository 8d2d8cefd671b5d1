import { Link } from '@tanstack/react-router'
import { memo, useMemo, useState } from 'react'
import { useSession } from '../../session'
import { Avatar, Field, Icon, networkNames, type Provider } from '../../ui'
import { hasWords } from '../../ui/many'
import styles from './compose.module.css'
import type { Account } from './draft'
import { lastAccounts } from './lastAccounts'
import { type DraftStore, useDraft } from './store'

const manyAccounts = 12

/** Where the post goes: every account of the team, those that cannot publish with the reason. */
export const Accounts = memo(function Accounts({
  store,
  accounts,
  done,
}: {
  store: DraftStore
  accounts: Account[]
  /** Those that have the post already. */
  done: string[]
}) {
  const { team } = useSession()
  const chosen = useDraft(store, d => d.accountIds)
  const [q, setQ] = useState('')
  const usable = useMemo(() => accounts.filter(a => a.status !== 'disconnected'), [accounts])
  const shown = useMemo(() => usable.filter(a => matches(a, q)), [usable, q])
  const open = shown.filter(a => a.status === 'connected' && !done.includes(a.id))
  const all = open.length > 0 && open.every(a => chosen.includes(a.id))

  const last = useMemo(() => {
    const able = usable.filter(a => a.status === 'connected').map(a => a.id)
    const ids = lastAccounts(localStorage, team.id, able)
    return ids.length < able.length ? ids : []
  }, [team.id, usable])

  const toggle = (ids: string[], on: boolean) =>
    store.set(d => {
      const rest = d.accountIds.filter(id => !ids.includes(id))
      return { ...d, accountIds: on ? [...rest, ...ids] : rest }
    })

  if (usable.length === 0) {
    return (
      <section aria-label="Accounts" className={styles.none}>
        <Icon name="accounts" />
        <span>
          No account is connected yet. <Link to="/accounts">Connect one</Link>; until then this stays a draft.
        </span>
      </section>
    )
  }
  return (
    <section aria-label="Accounts" className={styles.accounts}>
      <header className={styles.accountsHead}>
        <h2>Post to</h2>
        <span className={styles.count} aria-live="polite">
          {chosen.length === 0 ? 'nowhere yet' : chosen.length === 1 ? '1 account' : `${chosen.length} accounts`}
        </span>
        <span className={styles.headTools}>
          {chosen.length === 0 && last.length > 0 && (
            <button type="button" className={styles.textButton} onClick={() => toggle(last, true)}>
              Same as last time
            </button>
          )}
          <button
            type="button"
            className={styles.textButton}
            onClick={() =>
              toggle(
                open.map(a => a.id),
                !all,
              )
            }
          >
            {all ? 'None' : q ? 'All of these' : 'All'}
          </button>
        </span>
      </header>
      {usable.length > manyAccounts && (
        <Field
          label="Find an account"
          hideLabel
          type="search"
          placeholder="Find an account or network"
          value={q}
          onChange={e => setQ(e.target.value)}
        />
      )}
      <ul className={`${styles.accountList} ${usable.length > manyAccounts ? styles.accountScroll : ''}`}>
        {shown.map(a => (
          <li key={a.id}>
            <AccountChip
              account={a}
              done={done.includes(a.id)}
              on={chosen.includes(a.id)}
              onToggle={on => toggle([a.id], on)}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={styles.hint}>No account is called “{q}”.</p>}
    </section>
  )
})

function matches(a: Account, q: string): boolean {
  return hasWords(`${a.displayName} ${a.profileHandle ?? ''} ${networkNames[a.provider as Provider]}`, q)
}

const reasons: Record<string, string> = {
  refresh_needed: 'needs to be reconnected',
  disabled: 'is switched off',
}

function AccountChip({
  account,
  done,
  on,
  onToggle,
}: {
  account: Account
  done: boolean
  on: boolean
  onToggle: (on: boolean) => void
}) {
  const reason = reasons[account.status]
  return (
    <label
      className={styles.chip}
      data-on={on || undefined}
      title={`${networkNames[account.provider]}: ${account.displayName}`}
    >
      <input
        type="checkbox"
        checked={on}
        disabled={reason !== undefined && !on}
        onChange={e => onToggle(e.target.checked)}
      />
      <Avatar name={account.displayName} src={account.profileImageUrl} provider={account.provider} size={30} />
      <span className={styles.chipName}>
        <span className={styles.chipText} dir="auto">
          {account.displayName}
        </span>
        {reason ? (
          <small className={styles.chipBad}>{reason}</small>
        ) : (
          <small>
            {networkNames[account.provider]}
            {done ? ' · published' : account.sandbox && ' sandbox'}
          </small>
        )}
      </span>
    </label>
  )
}
