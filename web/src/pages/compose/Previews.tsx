import { memo, useMemo } from 'react'
import { explain } from '../../api/error'
import type { PartCount, ValidationEntry, ValidationResult } from '../../api/extra'
import { Avatar, atHandle, Badge, Icon, NetworkGlyph, networkNames, Thumbnail } from '../../ui'
import { type Account, type Draft, type Part, type PreviewGroup, previewGroups } from './draft'
import type { DryRunState } from './dryRun'
import { foldText, pieces } from './fold'
import styles from './preview.module.css'
import { type DraftStore, useDraftLater } from './store'

/** How every chosen network will show the post, with its verdict, its count and its cost. */
export function Previews({
  store,
  accounts,
  dryRun,
}: {
  store: DraftStore
  accounts: Account[]
  dryRun: DryRunState<ValidationResult>
}) {
  const draft = useDraftLater(store)
  const groups = useStableGroups(draft, accounts)
  const entries = useMemo(() => entriesById(dryRun.result ?? dryRun.last), [dryRun.result, dryRun.last])
  const old = dryRun.result === null
  return (
    <aside className={styles.previews} aria-label="Previews">
      <header className={styles.head}>
        <h2>Preview</h2>
        <span className={styles.state} role="status">
          {groups.length > 0 && dryRun.checking && 'Checking…'}
        </span>
      </header>
      {dryRun.error != null && (
        <p className={styles.problem}>
          <Icon name="attention" size={16} /> It could not be checked: {explain(dryRun.error)}
        </p>
      )}
      {groups.length === 0 && <p className={styles.hint}>Choose accounts to see how the post will look there.</p>}
      {groups.map(g => (
        <Preview key={g.key} group={g} entries={entries} old={old} />
      ))}
    </aside>
  )
}

function entriesById(result: ValidationResult | null): Map<string, ValidationEntry> {
  return new Map(result?.data.map(e => [e.socialAccountId, e]))
}

/** Groups whose parts have not changed keep their identity, so that only the changed previews are drawn. */
function useStableGroups(draft: Draft, accounts: Account[]): PreviewGroup[] {
  return useMemo(() => previewGroups(draft, accounts), [draft, accounts])
}

type PreviewProps = { group: PreviewGroup; entries: Map<string, ValidationEntry>; old: boolean }

function sameEntries(a: PreviewProps, b: PreviewProps): boolean {
  return (
    a.old === b.old &&
    sameParts(a.group.parts, b.group.parts) &&
    a.group.accounts.length === b.group.accounts.length &&
    a.group.accounts.every((x, n) => x === b.group.accounts[n] && a.entries.get(x.id) === b.entries.get(x.id))
  )
}

function sameParts(a: Part[], b: Part[]): boolean {
  return a.length === b.length && a.every((p, n) => p.text === b[n]?.text && p.attachments === b[n]?.attachments)
}

const Preview = memo(function Preview({ group, entries, old }: PreviewProps) {
  const { provider, accounts, parts } = group
  const [account] = accounts
  if (!account) return null
  const first = entries.get(account.id)
  const counts = first?.texts ?? []
  return (
    <article className={styles.preview} aria-label={`Preview for ${networkNames[provider]}`} data-provider={provider}>
      <Verdicts group={group} entries={entries} old={old} />
      <div className={styles.card}>
        {parts.map((p, n) => (
          <PartPreview
            key={p.key}
            account={account}
            part={p}
            count={old ? undefined : counts[n]}
            more={accounts.length - 1}
            thread={parts.length > 1}
          />
        ))}
      </div>
    </article>
  )
}, sameEntries)

function PartPreview({
  account,
  part,
  count,
  more,
  thread,
}: {
  account: Account
  part: Part
  count: PartCount | undefined
  more: number
  thread: boolean
}) {
  const { shown, hidden } = foldText(part.text, count?.foldAt)
  const media = part.attachments.flatMap(a => (a.kind === 'media' ? [a] : []))
  return (
    <div className={`${styles.part} ${thread ? styles.thread : ''}`}>
      <Avatar name={account.displayName} src={account.profileImageUrl} size={32} />
      <div className={styles.body}>
        <p className={styles.name}>
          <strong dir="auto">{account.displayName}</strong>
          {account.profileHandle && <span className={styles.handle}>{atHandle(account.profileHandle)}</span>}
          {more > 0 && <span className={styles.handle}>and {more} more</span>}
        </p>
        <p className={styles.text} dir="auto">
          <Marked text={shown} />
          {hidden && (
            <>
              <span className={styles.fold} title="The network folds the text here">
                … see more
              </span>
              <span className={styles.hidden}>
                <Marked text={hidden} />
              </span>
            </>
          )}
          {!part.text && media.length === 0 && <span className={styles.empty}>Nothing written yet</span>}
        </p>
        {media.length > 0 && (
          <div className={styles.media} data-count={Math.min(media.length, 4)}>
            {media.slice(0, 4).map((a, n) => (
              <span key={a.asset.assetId} className={styles.picture}>
                <Thumbnail
                  src={a.asset.thumbnailUrl}
                  alt={a.altText}
                  kind={a.asset.mimeType?.startsWith('video/') ? 'video' : 'image'}
                  fill
                />
                {n === 3 && media.length > 4 && <span className={styles.more}>+{media.length - 4}</span>}
              </span>
            ))}
          </div>
        )}
      </div>
    </div>
  )
}

function Marked({ text }: { text: string }) {
  return pieces(text).map((p, n) =>
    p.mark ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no other name than their place
      <span key={n} className={styles.mark}>
        {p.text}
      </span>
    ) : (
      p.text
    ),
  )
}

/** What the network says: ready or refused and why, how long, how much. */
function Verdicts({ group, entries, old }: PreviewProps) {
  const known = group.accounts.flatMap(a => {
    const entry = entries.get(a.id)
    return entry ? [{ account: a, entry }] : []
  })
  const refused = known.filter(k => !k.entry.ok)
  const [sample] = known
  const credits = known.reduce((sum, k) => sum + k.entry.creditCost, 0)
  const notes = unique(known.flatMap(k => k.entry.warnings.map(w => w.message)))
  return (
    <header className={styles.verdict} data-old={old || undefined} aria-busy={old || undefined}>
      <div className={styles.line}>
        <NetworkGlyph provider={group.provider} size={18} />
        <strong>{networkNames[group.provider]}</strong>
        {sample && <Count parts={sample.entry.texts ?? []} />}
        {credits > 0 && <span className={styles.number}>{credits.toLocaleString('en')} credits</span>}
        {known.length > 0 && !old && (
          <Badge icon={refused.length > 0 ? 'cross' : 'check'} tone={refused.length > 0 ? 'bad' : 'good'}>
            {refused.length > 0 ? (refused.length === known.length ? 'Refused' : `${refused.length} refused`) : 'Ready'}
          </Badge>
        )}
      </div>
      {!old && refused.length > 0 && <Problems refused={refused} single={group.accounts.length === 1} />}
      {!old && notes.length > 0 && (
        <ul className={styles.notes}>
          {notes.map(n => (
            <li key={n}>{n}</li>
          ))}
        </ul>
      )}
    </header>
  )
}

function Problems({ refused, single }: { refused: { account: Account; entry: ValidationEntry }[]; single: boolean }) {
  const said = ({ error }: ValidationEntry) =>
    error?.issues && error.issues.length > 0
      ? error.issues.map(i => i.message)
      : [error?.message ?? 'The network refuses it.']
  const same = unique(refused.flatMap(r => said(r.entry)))
  return (
    <ul className={styles.problems}>
      {same.map(m => (
        <li key={m}>
          {m}
          {!single &&
            refused.length < 4 &&
            ` (${refused
              .filter(r => said(r.entry).includes(m))
              .map(r => r.account.displayName)
              .join(', ')})`}
        </li>
      ))}
    </ul>
  )
}

const unique = (list: string[]) => [...new Set(list)]

function Count({ parts }: { parts: PartCount[] }) {
  if (parts.length === 0) return null
  return (
    <span className={styles.number}>
      {parts.map((p, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are known by their place
        <span key={n} className={p.max !== null && p.count > p.max ? styles.over : undefined} title={p.unit}>
          {n > 0 && ' + '}
          {p.count.toLocaleString('en')}
          {p.max !== null && `/${p.max.toLocaleString('en')}`}
        </span>
      ))}
    </span>
  )
}
