import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client'
import type { ScheduledPost } from '../../api/extra'
import { useInstance } from '../../api/hooks'
import { serverNow, useCan, useSession } from '../../session'
import {
  Avatar,
  askFirst,
  atHandle,
  Button,
  buttonClass,
  EmptyState,
  Icon,
  networkNames,
  Status,
  showDialog,
  Time,
} from '../../ui'
import { asSentence, causeOf, mayTryAgain } from '../attention/cause'
import { useConnect } from '../attention/reconnect'
import { useAct } from './actions'
import type { Post } from './data'
import { followUps, repeats, unknownFollowUp } from './followUps'
import { lateness } from './ledger'
import { replacement, shownStatus } from './order'
import styles from './post.module.css'
import { profileUrl, Resolve } from './Resolve'
import { Why } from './Why'

type Account = Schemas['SocialAccount']

/** What became of the post on each account, the newest first for each; Why opens the record. */
export function Deliveries({
  list,
  accounts,
  open,
  onOpen,
  post,
}: {
  list: ScheduledPost[]
  accounts: Account[]
  open: string | undefined
  onOpen: (id: string | undefined) => void
  post: Post
}) {
  if (list.length === 0) return <Nowhere post={post} />
  return (
    <ul className={styles.deliveries}>
      {list.map(sp => (
        <li key={sp.id}>
          <Delivery
            sp={sp}
            replaced={replacement(sp, list)}
            account={accounts.find(a => a.id === sp.socialAccountId)}
            open={open === sp.id}
            onToggle={() => onOpen(open === sp.id ? undefined : sp.id)}
          />
        </li>
      ))}
    </ul>
  )
}

/** What a post that is planned nowhere waits for. */
function Nowhere({ post }: { post: Post }) {
  const { team } = useSession()
  const mayWrite = useCan('write_posts')
  const mayApprove = useCan('approve_posts')
  const { reopen, busy } = useAct()
  if (post.status === 'rejected') {
    const back = (
      <Button icon="draft" busy={busy === 'reopen'} onClick={() => reopen(post)}>
        Back to drafts
      </Button>
    )
    return (
      <EmptyState icon="cross" title="Rejected" action={mayWrite && back}>
        Nothing will be published. It can be changed and saved
        {team.requireApproval ? ', and is to be approved again.' : '.'}
      </EmptyState>
    )
  }
  const waits = team.requireApproval && post.status === 'draft'
  if (waits && !mayApprove) {
    return (
      <EmptyState icon="clock" title="Waits to be approved">
        Nothing will be published before. Whoever approves posts finds it under Posts, To approve.
      </EmptyState>
    )
  }
  const choose = (
    <Link
      to="/compose/$postId"
      params={{ postId: post.id }}
      className={buttonClass({ kind: waits ? 'plain' : 'primary' })}
    >
      Choose accounts and a time
    </Link>
  )
  return (
    <EmptyState icon="calendar" title="Not scheduled anywhere" action={mayWrite && choose}>
      {waits && 'It waits to be approved: nothing will be published before.'}
      {!waits &&
        (post.status === 'draft' ? 'This is a draft: nothing will be published.' : 'Nothing will be published.')}
    </EmptyState>
  )
}

function Delivery({
  sp,
  replaced,
  account,
  open,
  onToggle,
}: {
  sp: ScheduledPost
  replaced: string | null
  account: Account | undefined
  open: boolean
  onToggle: () => void
}) {
  const session = useSession()
  return (
    <article className={styles.delivery} data-status={sp.status}>
      <div className={styles.deliveryHead}>
        <Avatar
          name={account?.displayName ?? '?'}
          src={account?.profileImageUrl}
          provider={account?.provider}
          size={36}
        />
        <div className={styles.who}>
          <strong dir="auto">{account?.displayName ?? 'An account that is gone'}</strong>
          <span className={styles.soft}>
            {account && networkNames[account.provider]}
            {account?.profileHandle && ` · ${atHandle(account.profileHandle)}`}
          </span>
        </div>
        <div className={styles.outcome}>
          <Status state={shownStatus(sp, serverNow(session))} />
          <Result sp={sp} />
        </div>
      </div>
      <Trouble sp={sp} account={account} />
      <FollowUps sp={sp} />
      <div className={styles.deliveryTools}>
        <Button size="small" kind="quiet" aria-expanded={open} icon={open ? 'up' : 'down'} onClick={onToggle}>
          Why
        </Button>
        {replaced ? <span className={styles.soft}>{replaced}</span> : <Tools sp={sp} account={account} />}
      </div>
      {open && <Why scheduledPost={sp} />}
    </article>
  )
}

function Result({ sp }: { sp: ScheduledPost }) {
  if (sp.status === 'published' && sp.publishedAt) {
    return (
      <span className={styles.soft}>
        <Time at={sp.publishedAt} style="short" />
        {sp.lateMillis !== undefined && sp.lateMillis >= 0 && `, ${lateness(sp.lateMillis)}`}
      </span>
    )
  }
  return (
    <span className={styles.soft}>
      {sp.status === 'scheduled' ? 'for ' : sp.status === 'canceled' ? 'was planned for ' : 'was due '}
      <Time at={sp.scheduledAt} style="short" />
      {repeats(sp) && `, ${repeats(sp)}`}
    </span>
  )
}

function Trouble({ sp, account }: { sp: ScheduledPost; account: Account | undefined }) {
  const bad = ['failed', 'missed', 'unknown'].includes(sp.status)
  const waits = (sp.status === 'scheduled' || sp.status === 'publishing') && sp.errorMessage
  if (!bad && !waits) return null
  const cause = causeOf(sp, account)
  return (
    <p className={bad ? styles.bad : styles.waits}>
      {bad ? cause.sentence : asSentence(sp.errorMessage ?? '')}
      {bad && cause.said && <span className={styles.said}> {cause.said}</span>}
    </p>
  )
}

function FollowUps({ sp }: { sp: ScheduledPost }) {
  const list = followUps(sp)
  if (list.length === 0) return null
  return (
    <ul className={styles.actions}>
      {list.map(f => (
        <li key={f.name}>
          {f.permalink ? (
            <a href={f.permalink} target="_blank" rel="noreferrer">
              {f.name}
            </a>
          ) : (
            f.name
          )}
          <Status state={f.status} />
          {f.scheduledAt && f.status === 'scheduled' && (
            <span className={styles.soft}>
              <Time at={f.scheduledAt} style="short" />
            </span>
          )}
          {f.errorMessage && <span className={styles.bad}>{f.errorMessage}</span>}
        </li>
      ))}
    </ul>
  )
}

/** A repetition ends with the one that is canceled, so this is not a matter of one date. */
function endSeries(sp: ScheduledPost, cancel: (sp: ScheduledPost) => Promise<unknown>) {
  askFirst({
    title: 'End the series?',
    text: 'This one is canceled on this account, and no later one follows.',
    action: 'End the series',
    run: () => cancel(sp),
  })
}

/** The things to do about this one; none that would be refused. Where only one is shown, it is the one that helps. */
export function Tools({ sp, account, only }: { sp: ScheduledPost; account: Account | undefined; only?: boolean }) {
  const mayPublish = useCan('publish_posts')
  const mayConnect = useCan('manage_social_accounts')
  const mayWrite = useCan('write_posts')
  const instance = useInstance()
  const { retry, cancel, busy } = useAct()
  const { connect, busy: connecting } = useConnect()
  const { remedy } = causeOf(sp, account)
  const broken = mayTryAgain(sp)
  const followUp = sp.status === 'unknown' ? undefined : unknownFollowUp(sp)
  const look = (at: Account) =>
    showDialog(close => (
      <Resolve
        scheduledPost={sp}
        followUp={followUp}
        account={at}
        profile={profileUrl(at, instance.data?.sandboxUrl)}
        onClose={close}
      />
    ))
  return (
    <>
      {sp.permalink && !only && (
        <a
          href={sp.permalink}
          target="_blank"
          rel="noreferrer"
          className={buttonClass({ kind: 'quiet', size: 'small' })}
        >
          <Icon name="external" size={16} /> See it there
        </a>
      )}
      {broken && remedy === 'reconnect' && mayConnect && account && (
        <Button size="small" busy={connecting !== null} onClick={() => connect(account.provider)}>
          Reconnect
        </Button>
      )}
      {broken && remedy === 'edit' && mayWrite && (
        <Link to="/compose/$postId" params={{ postId: sp.contentItemId }} className={buttonClass({ size: 'small' })}>
          Edit
        </Link>
      )}
      {broken && mayPublish && (!only || remedy === 'retry' || remedy === 'none') && (
        <Button size="small" icon="refresh" busy={busy === `retry ${sp.id}`} onClick={() => retry(sp)}>
          Try again
        </Button>
      )}
      {sp.replacedBy && (
        <Link
          to="/posts/$postId"
          params={{ postId: sp.contentItemId }}
          search={{ why: sp.replacedBy } as never}
          className={buttonClass({ size: 'small' })}
        >
          See what replaced it
        </Link>
      )}
      {(sp.status === 'unknown' || followUp) && mayPublish && account && (
        <Button size="small" kind="primary" icon="eye" onClick={() => look(account)}>
          Look and decide
        </Button>
      )}
      {broken && remedy === 'credits' && (
        <Link to="/settings/$section" params={{ section: 'credits' }} className={buttonClass({ size: 'small' })}>
          See credits
        </Link>
      )}
      {sp.status === 'scheduled' && mayPublish && (
        <Button
          size="small"
          kind="quiet"
          icon="stop"
          busy={busy === `cancel ${sp.id}`}
          onClick={() => (sp.recurrence ? endSeries(sp, cancel) : cancel(sp))}
        >
          {sp.recurrence ? 'End the series' : 'Cancel this one'}
        </Button>
      )}
    </>
  )
}
