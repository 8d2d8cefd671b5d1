import { useState } from 'react'
import type { Schemas } from '../../api/client'
import { ApiError } from '../../api/error'
import type { ScheduledPost } from '../../api/extra'
import { useSession } from '../../session'
import { Button, ButtonRow, Dialog, Field, Icon, networkNames, Status } from '../../ui'
import { useAct } from './actions'
import { resolve, useAttempts, useScheduledPost } from './data'
import { type FollowUp, followUps } from './followUps'
import { deletionWaits } from './ledger'
import styles from './post.module.css'

type Account = Schemas['SocialAccount']

/** Where a person can look for the post: the account's page at its network. */
export function profileUrl(account: Account, sandboxUrl: string | null | undefined): string | null {
  if (account.sandbox) return sandboxUrl ? `${sandboxUrl.replace(/\/$/, '')}/${account.provider}` : null
  const handle = account.profileHandle
  if (!handle) return account.provider === 'facebook' ? `https://www.facebook.com/${account.providerAccountId}` : null
  const pages: Record<Account['provider'], string> = {
    x: `https://x.com/${handle}`,
    tiktok: `https://www.tiktok.com/@${handle}`,
    instagram: `https://www.instagram.com/${handle}/`,
    facebook: `https://www.facebook.com/${handle}`,
    youtube: `https://www.youtube.com/@${handle.replace(/^@/, '')}`,
    linkedin: `https://www.linkedin.com/in/${handle}/recent-activity/all/`,
    threads: `https://www.threads.net/@${handle}`,
  }
  return pages[account.provider]
}

const outcomes: { value: Schemas['Resolution']['outcome']; label: string; hint: string; action: string }[] = [
  {
    value: 'published',
    label: 'It is there',
    hint: 'It counts as published, and nothing is sent again.',
    action: 'It is published',
  },
  {
    value: 'retry',
    label: 'It is not there: publish it',
    hint: 'It is sent again at once.',
    action: 'Publish it again',
  },
  {
    value: 'failed',
    label: 'It is not there: leave it',
    hint: 'It counts as failed, and its credits are released.',
    action: 'Mark as failed',
  },
]

/** Decides an outcome that nothing could tell, beside the page where the post would be. */
export function Resolve({
  scheduledPost: sp,
  followUp,
  account,
  profile,
  onClose,
}: {
  scheduledPost: ScheduledPost
  /** What follows it, if that is what nobody knows about. */
  followUp?: FollowUp
  account: Account
  profile: string | null
  onClose: () => void
}) {
  const { team } = useSession()
  const { act, busy } = useAct()
  const [outcome, setOutcome] = useState<Schemas['Resolution']['outcome'] | null>(null)
  const [id, setId] = useState('')
  const [problem, setProblem] = useState<string>()
  const now = useScheduledPost(team.id, sp)
  const deleted = deletionWaits(useAttempts(team.id, sp).data ?? [], followUp !== undefined)
  const chosen = outcomes.find(o => o.value === outcome)
  const send = async () => {
    if (!outcome) return
    const body = {
      outcome,
      action: followUp?.action,
      ...(outcome === 'published' && id.trim() ? { platformPostId: id.trim() } : {}),
    }
    const decide = () =>
      resolve(team.id, sp.id, body).catch(e => {
        setProblem(e instanceof ApiError ? e.issueAt('platformPostId') : undefined)
        throw e
      })
    if (await act('resolve', decide, 'Decided')) onClose()
  }
  const status = followUp ? followUps(now).find(f => f.action === followUp.action)?.status : now.status
  if (status !== 'unknown' && busy === null) {
    return <Settled status={status ?? now.status} account={account} onClose={onClose} />
  }
  const subject = followUp ? followUp.name.toLowerCase() : 'it'
  return (
    <Dialog
      title={`Is ${subject} on ${networkNames[account.provider]}?`}
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" busy={busy !== null} disabled={!outcome} onClick={send}>
            {chosen?.action ?? 'Choose what you see'}
          </Button>
        </ButtonRow>
      }
    >
      <p>
        The call left, and no answer came. {networkNames[account.provider]} gives no way to find out, so nothing is sent
        again before you have looked.
      </p>
      {deleted && (
        <p>
          The post was deleted here, and was to be deleted on {networkNames[account.provider]} too: if it is there, that
          is done now.
        </p>
      )}
      {profile && (
        <a href={profile} target="_blank" rel="noreferrer" className={styles.look}>
          <Icon name="external" size={18} /> Look at {account.displayName} on {networkNames[account.provider]}
        </a>
      )}
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">What you see there</legend>
        {outcomes
          .filter(o => !deleted || o.value !== 'retry')
          .map(o => (
            <label key={o.value} className={styles.choice}>
              <input type="radio" name="outcome" checked={outcome === o.value} onChange={() => setOutcome(o.value)} />
              <span>
                {o.label}
                <small>{deleted && o.value === 'published' ? 'It is deleted there.' : o.hint}</small>
              </span>
            </label>
          ))}
      </fieldset>
      {outcome === 'published' && (
        <Field
          label="Its id there"
          hint={
            deleted
              ? 'It can be deleted only by its id.'
              : followUp
                ? 'If you know it: then it is deleted with the post.'
                : 'If you know it: then its numbers are read, and it can be deleted from here. What follows it needs it: the next part of a thread, a comment, a quote.'
          }
          value={id}
          problem={problem}
          onChange={e => setId(e.target.value)}
        />
      )}
    </Dialog>
  )
}

/** Says what became of it while the person looked: it was found, or somebody else has decided. */
function Settled({ status, account, onClose }: { status: string; account: Account; onClose: () => void }) {
  return (
    <Dialog
      title="It is settled"
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button kind="primary" onClick={onClose}>
            Good
          </Button>
        </ButtonRow>
      }
    >
      <p>
        What became of it on {networkNames[account.provider]} was found out meanwhile, or somebody else has decided it.
        There is nothing left to do here.
      </p>
      <p>
        <Status state={status} />
      </p>
    </Dialog>
  )
}
