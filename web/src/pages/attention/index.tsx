import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { explain } from '../../api/error'
import type { ScheduledPost } from '../../api/extra'
import { useAccounts } from '../../api/hooks'
import { useCan, useSession } from '../../session'
import {
  Avatar,
  Button,
  EmptyState,
  ErrorState,
  IconButton,
  LoadingState,
  networkNames,
  Page,
  Status,
  Time,
  toast,
} from '../../ui'
import { refreshPosts } from '../compose/requests'
import { postName } from '../post'
import { useAct } from '../post/actions'
import { Tools } from '../post/Deliveries'
import { dismiss, retry } from '../post/data'
import { inTurn } from '../posts/bulk'
import styles from './attention.module.css'
import { accountCause, causeOf, mayTryAgain } from './cause'
import { useNeedsAttention, usePostsById } from './data'
import { useConnect } from './reconnect'

type Account = Schemas['SocialAccount']

/** Everything that waits for a person, each with its cause and the one thing that helps. */
export default function AttentionPage() {
  const { team } = useSession()
  const accounts = useAccounts(team.id)
  const items = useNeedsAttention(team.id)
  const error = accounts.error ?? items.error
  if (!accounts.data || !items.data) {
    return (
      <Page title="Attention">
        {error ? (
          <ErrorState error={error} retry={() => Promise.all([accounts.refetch(), items.refetch()])} />
        ) : (
          <LoadingState />
        )}
      </Page>
    )
  }
  const broken = accounts.data.flatMap(a => {
    const cause = accountCause(a)
    return cause ? [{ account: a, cause }] : []
  })
  const { list, total } = items.data
  const nothing = broken.length === 0 && list.length === 0
  return (
    <Page title="Attention" note={nothing ? undefined : 'Nothing here is sent again, or dropped, before you say so.'}>
      {nothing && (
        <EmptyState icon="check" title="All is well">
          Nothing failed, nothing was missed, every account is connected. What needs you will appear here.
        </EmptyState>
      )}
      {broken.length > 0 && <BrokenAccounts broken={broken} />}
      {list.length > 0 && <Items list={list} total={total} accounts={accounts.data} />}
      {items.isFetchNextPageError && <ErrorState title="The rest could not be loaded" error={items.error} />}
      {items.hasNextPage && (
        <Button busy={items.isFetchingNextPage} onClick={() => items.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  )
}

function BrokenAccounts({ broken }: { broken: { account: Account; cause: string }[] }) {
  const mayConnect = useCan('manage_social_accounts')
  const { connect, busy } = useConnect()
  return (
    <section aria-labelledby="attention-accounts" className={styles.section}>
      <h2 id="attention-accounts">Accounts</h2>
      <ul className={styles.list}>
        {broken.map(({ account: a, cause }) => (
          <li key={a.id} className={styles.item}>
            <Avatar name={a.displayName} src={a.profileImageUrl} provider={a.provider} size={36} />
            <div className={styles.text}>
              <p className={styles.head}>
                <strong dir="auto">{a.displayName}</strong>
                <Status state={a.status} />
              </p>
              <p className={styles.cause}>{cause}</p>
              {a.postsAtRisk > 0 && (
                <p className={styles.soft}>
                  {a.postsAtRisk === 1 ? '1 waiting post will' : `${a.postsAtRisk} waiting posts will`} not go out if
                  this stays.
                </p>
              )}
            </div>
            {mayConnect && (
              <Button kind="primary" size="small" busy={busy === a.provider} onClick={() => connect(a.provider)}>
                Reconnect
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Items({ list, total, accounts }: { list: ScheduledPost[]; total: number; accounts: Account[] }) {
  const { team } = useSession()
  const mayPublish = useCan('publish_posts')
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const posts = usePostsById(
    team.id,
    list.map(s => s.contentItemId),
  )
  const picked = list.filter(s => chosen.includes(s.id))
  const again = picked.filter(mayTryAgain)
  const bulk = async (of: ScheduledPost[], work: (s: ScheduledPost) => Promise<unknown>, done: string) => {
    setBusy(true)
    const { succeeded, failures } = await inTurn(of, work)
    const [first] = failures
    toast(first ? `${succeeded} ${done}, ${failures.length} not: ${explain(first.error)}` : `${succeeded} ${done}`)
    setChosen([])
    refreshPosts(team.id)
    setBusy(false)
  }
  const all = picked.length === list.length
  return (
    <section aria-labelledby="attention-posts" className={styles.section}>
      <header className={styles.bar}>
        <h2 id="attention-posts">Posts ({total})</h2>
        {mayPublish && (
          <>
            <label className={styles.all}>
              <input type="checkbox" checked={all} onChange={() => setChosen(all ? [] : list.map(s => s.id))} /> All
            </label>
            <Button
              size="small"
              icon="refresh"
              busy={busy}
              disabled={again.length === 0}
              onClick={() => bulk(again, s => retry(team.id, s.id), 'tried again')}
            >
              Try again{again.length > 0 && ` (${again.length})`}
            </Button>
            <Button
              size="small"
              icon="check"
              busy={busy}
              disabled={picked.length === 0}
              onClick={() => bulk(picked, s => dismiss(team.id, s.id), 'dismissed')}
            >
              Dismiss{picked.length > 0 && ` (${picked.length})`}
            </Button>
          </>
        )}
      </header>
      <ul className={styles.list}>
        {list.map(s => (
          <Item
            key={s.id}
            sp={s}
            account={accounts.find(a => a.id === s.socialAccountId)}
            post={posts.get(s.contentItemId)}
            chosen={chosen.includes(s.id)}
            onChoose={
              mayPublish ? on => setChosen(on ? [...chosen, s.id] : chosen.filter(id => id !== s.id)) : undefined
            }
          />
        ))}
      </ul>
    </section>
  )
}

function Item({
  sp,
  account,
  post,
  chosen,
  onChoose,
}: {
  sp: ScheduledPost
  account: Account | undefined
  /** Null if it was deleted. */
  post: Schemas['Post'] | null | undefined
  chosen: boolean
  onChoose?: (on: boolean) => void
}) {
  const { dismiss: dismissOne, busy } = useAct()
  const cause = causeOf(sp, account)
  const name = post ? postName(post) : post === null ? 'A deleted post' : '…'
  return (
    <li className={styles.item}>
      {onChoose && (
        <input
          type="checkbox"
          className={styles.check}
          aria-label={`Choose ${name}`}
          checked={chosen}
          onChange={e => onChoose(e.target.checked)}
        />
      )}
      <Avatar
        name={account?.displayName ?? '?'}
        src={account?.profileImageUrl}
        provider={account?.provider}
        size={36}
      />
      <div className={styles.text}>
        <p className={styles.head}>
          {post === null ? (
            <span className={styles.name}>{name}</span>
          ) : (
            <Link
              to="/posts/$postId"
              params={{ postId: sp.contentItemId }}
              search={{ why: sp.id } as never}
              className={styles.name}
              dir="auto"
            >
              {name}
            </Link>
          )}
          <Status state={sp.status} />
        </p>
        <p className={styles.cause}>
          {cause.sentence} {cause.said && <span className={styles.soft}>{cause.said}</span>}
        </p>
        <p className={styles.soft}>
          {account && `${account.displayName} on ${networkNames[account.provider]}, `}due{' '}
          <Time at={sp.scheduledAt} style="short" />
        </p>
      </div>
      <div className={styles.tools}>
        <Tools sp={sp} account={account} only />
        {onChoose && (
          <IconButton
            size="small"
            icon="cross"
            label={`Dismiss ${name}`}
            busy={busy !== null}
            onClick={() => dismissOne(sp)}
          />
        )}
      </div>
    </li>
  )
}
