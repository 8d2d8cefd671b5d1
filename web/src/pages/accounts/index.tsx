import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useAccounts } from '../../api/hooks'
import { key } from '../../api/query'
import { useCan, useSession } from '../../session'
import {
  Avatar,
  askFirst,
  atHandle,
  Badge,
  Button,
  EmptyState,
  endUndo,
  Icon,
  Loaded,
  Menu,
  type MenuItem,
  NetworkGlyph,
  networkNames,
  Page,
  type Provider,
  Status,
  Time,
  toast,
  toastError,
} from '../../ui'
import { accountCause } from '../attention/cause'
import { useConnect } from '../attention/reconnect'
import { useNetworks } from '../compose/networks'
import { abilitiesOf, inOrder } from './abilities'
import styles from './accounts.module.css'

type Account = Schemas['SocialAccount']

/** The team's accounts: how they are, what they can do, and how to connect more. */
export default function AccountsPage() {
  const { team } = useSession()
  const accounts = useAccounts(team.id)
  const mayManage = useCan('manage_social_accounts')
  return (
    <Page
      title="Accounts"
      note="Where this team publishes. Posts that wait for a broken account go out once it is mended."
    >
      {mayManage && <Connect />}
      <Loaded query={accounts} label="Loading the accounts">
        {list =>
          list.length === 0 ? (
            <EmptyState icon="accounts" title="No account is connected yet">
              {mayManage
                ? 'Choose a network above.'
                : 'Somebody who manages the accounts of this team can connect one.'}
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {inOrder(list).map(a => (
                <AccountItem key={a.id} account={a} mayManage={mayManage} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  )
}

function Connect() {
  const { connect, busy } = useConnect()
  const names = useNetworks().map(n => n.name)
  return (
    <section aria-labelledby="connect" className={styles.connect}>
      <h2 id="connect">Connect an account</h2>
      <div className={styles.networks}>
        {(names.length ? names : (Object.keys(networkNames) as Provider[])).map(network => (
          <Button key={network} busy={busy === network} disabled={busy !== null} onClick={() => connect(network)}>
            <span className={styles.network}>
              <NetworkGlyph provider={network} /> {networkNames[network]}
            </span>
          </Button>
        ))}
      </div>
    </section>
  )
}

function AccountItem({ account: a, mayManage }: { account: Account; mayManage: boolean }) {
  const { connect, busy } = useConnect()
  const { change, disconnect, working } = useAccountActions(a)
  const cause = accountCause(a)
  const broken = a.status === 'refresh_needed' || a.status === 'disconnected'
  const askToDisconnect = () =>
    askFirst({
      title: `Disconnect ${a.displayName}?`,
      text: `crier forgets its access to the account. ${
        a.postsAtRisk > 0 ? `${waiting(a.postsAtRisk)} for it and will be missed` : 'Posts that wait for it are missed'
      } unless it is connected again. What was published stays.`,
      action: 'Disconnect',
      run: disconnect,
    })
  const items: MenuItem[] = [
    { label: 'Reconnect', icon: 'refresh', onSelect: () => connect(a.provider) },
    ...(a.status === 'connected'
      ? [{ label: 'Switch off', icon: 'stop' as const, onSelect: () => change('disabled') }]
      : []),
    ...(a.status === 'disconnected'
      ? []
      : [{ label: 'Disconnect…', icon: 'cross' as const, danger: true, onSelect: askToDisconnect }]),
  ]
  return (
    <li className={styles.item}>
      <Avatar name={a.displayName} src={a.profileImageUrl} provider={a.provider} size={44} />
      <div className={styles.text}>
        <p className={styles.head}>
          <strong dir="auto">{a.displayName}</strong>
          <Status state={a.status} />
          {a.sandbox && (
            <Badge icon="sandbox" title="Posts go to the simulated network">
              Sandbox
            </Badge>
          )}
        </p>
        <p className={styles.soft}>
          {networkNames[a.provider]}
          {a.profileHandle && <span dir="auto"> · {atHandle(a.profileHandle)}</span>}
          {a.accountSubType && ` · ${a.accountSubType.toLowerCase()}`} · connected{' '}
          <Time at={a.connectedAt} style="day" />
        </p>
        {cause && <p className={styles.cause}>{cause}</p>}
        <AtRisk account={a} />
        <Abilities account={a} />
      </div>
      {mayManage && (
        <div className={styles.tools}>
          {broken && (
            <Button kind="primary" size="small" busy={busy === a.provider} onClick={() => connect(a.provider)}>
              Reconnect
            </Button>
          )}
          {a.status === 'disabled' && (
            <Button size="small" busy={working} onClick={() => change('connected')}>
              Switch on
            </Button>
          )}
          <Menu
            label={`More for ${a.displayName}`}
            items={items}
            trigger={<Icon name="more" size={16} />}
            size="small"
          />
        </div>
      )}
    </li>
  )
}

const waiting = (n: number) => (n === 1 ? '1 post waits' : `${n} posts wait`)

function AtRisk({ account: a }: { account: Account }) {
  const ends = a.connectionEndsAt
  if (a.postsAtRisk > 0) {
    return (
      <p className={styles.cause}>
        {waiting(a.postsAtRisk)} for it and will not go out as things are
        {ends && (
          <>
            : the connection ends <Time at={ends} style="short" />
          </>
        )}
        .
      </p>
    )
  }
  if (!ends) return null
  return (
    <p className={styles.soft}>
      The connection lasts until <Time at={ends} />.
    </p>
  )
}

function Abilities({ account }: { account: Account }) {
  const { can, not } = abilitiesOf(account)
  if (can.length === 0) return null
  return (
    <details className={styles.abilities}>
      <summary>What it can do</summary>
      <p>Publishes and does: {can.join(', ')}.</p>
      {not.length > 0 && (
        <p>
          {networkNames[account.provider]} does not offer: {not.join(', ')}.
        </p>
      )}
    </details>
  )
}

function useAccountActions(a: Account) {
  const { team } = useSession()
  const queries = useQueryClient()
  const [working, setWorking] = useState(false)
  const path = { teamId: team.id, id: a.id }
  const run = async (work: () => Promise<unknown>, done: string, undo?: () => void) => {
    setWorking(true)
    endUndo()
    try {
      await work()
      toast(done, undo)
      await queries.invalidateQueries({ queryKey: key('accounts', team.id) })
    } catch (e) {
      toastError(`${a.displayName} was not changed`, e)
    } finally {
      setWorking(false)
    }
  }
  const set = (status: 'connected' | 'disabled') =>
    ask(api.PATCH('/v1/teams/{teamId}/social-accounts/{id}', { params: { path }, body: { status } }))
  const change = (status: 'connected' | 'disabled'): Promise<void> =>
    run(
      () => set(status),
      status === 'disabled' ? `${a.displayName} is switched off` : `${a.displayName} is on again`,
      status === 'disabled' ? () => void change('connected') : undefined,
    )
  const disconnect = () =>
    run(
      () => ask(api.POST('/v1/teams/{teamId}/social-accounts/{id}/disconnect', { params: { path } })),
      `${a.displayName} is disconnected`,
    )
  return { change, disconnect, working }
}
