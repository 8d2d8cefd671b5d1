import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { ApiError } from '../../api/error'
import { key } from '../../api/query'
import { useSession } from '../../session'
import { Button, EmptyState, Loaded, networkNames, Time, toastError } from '../../ui'
import { List, usePages } from './parts'
import styles from './settings.module.css'

type Transaction = Schemas['CreditTransaction']

const kinds: Record<Transaction['kind'], string> = {
  grant: 'Granted',
  reserve: 'Set aside for a post',
  capture: 'Spent on a post',
  release: 'Given back',
  adjust: 'Corrected',
}

const signed = (n: number) => (n > 0 ? `+${n.toLocaleString('en')}` : n.toLocaleString('en').replace('-', '−'))

export function Credits() {
  const { organization } = useSession()
  const path = { organizationId: organization.id }
  const credits = useQuery({
    queryKey: key('credits', organization.id),
    queryFn: ({ signal }) => ask(api.GET('/v1/organizations/{organizationId}/credits', { params: { path }, signal })),
  })
  const ledger = usePages<Transaction>('credits', [organization.id, 'ledger'], (cursor, signal) =>
    ask(
      api.GET('/v1/organizations/{organizationId}/credits/transactions', {
        params: { path, query: { cursor } },
        signal,
      }),
    ),
  )
  return (
    <>
      <section className={styles.section}>
        <h2>Credits</h2>
        <p className={styles.soft}>Some networks charge for what apps do. A credit is a tenth of a US cent.</p>
        <Loaded query={credits}>
          {c => (
            <>
              <dl className={styles.sums}>
                <dt>Free</dt>
                <dd>{c.availableCredits.toLocaleString('en')}</dd>
                <dt>Set aside for what is scheduled</dt>
                <dd>{c.reservedCredits.toLocaleString('en')}</dd>
                <dt>Balance</dt>
                <dd>{c.creditsBalance.toLocaleString('en')}</dd>
              </dl>
              <details>
                <summary>What things cost</summary>
                <table className={styles.table}>
                  <thead>
                    <tr>
                      <th scope="col">Network</th>
                      <th scope="col">What</th>
                      <th scope="col" className={styles.number}>
                        Credits
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {c.costs.map(cost => (
                      <tr key={`${cost.provider} ${cost.operation}`}>
                        <td>{networkNames[cost.provider]}</td>
                        <td>{cost.description}</td>
                        <td className={styles.number}>{cost.credits.toLocaleString('en')}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </details>
            </>
          )}
        </Loaded>
      </section>
      <section className={styles.section}>
        <h2>Ledger</h2>
        <List pages={ledger} empty={<EmptyState title="Nothing was booked yet" />}>
          {list => (
            <table className={styles.table}>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">What</th>
                  <th scope="col" className={styles.number}>
                    Balance
                  </th>
                  <th scope="col" className={styles.number}>
                    Set aside
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map(t => (
                  <tr key={t.id}>
                    <td>
                      <Time at={t.createdAt} style="short" />
                    </td>
                    <td>
                      {kinds[t.kind]} {t.scheduledPostId && <PostLink id={t.scheduledPostId} />}
                    </td>
                    <td className={styles.number}>{t.amount ? signed(t.amount) : ''}</td>
                    <td className={styles.number}>{t.reservedAmount ? signed(t.reservedAmount) : ''}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </List>
      </section>
    </>
  )
}

/**
 * Leads to the post of a booking. Which one that is, and whether it is of this team, is asked when it is pressed: a ledger
 * has a row for every post.
 */
function PostLink({ id }: { id: string }) {
  const { team } = useSession()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const see = async () => {
    setBusy(true)
    try {
      const path = { teamId: team.id, id }
      const found = await ask(api.GET('/v1/teams/{teamId}/scheduled-posts/{id}', { params: { path } }))
      navigate({ to: '/posts/$postId', params: { postId: found.contentItemId }, search: { why: id } as never })
    } catch (e) {
      const elsewhere = e instanceof ApiError && e.status === 404
      toastError('The post cannot be shown', elsewhere ? new Error('It is deleted, or it is one of another team.') : e)
      setBusy(false)
    }
  }
  return (
    <Button size="small" kind="quiet" busy={busy} onClick={see}>
      See it
    </Button>
  )
}
