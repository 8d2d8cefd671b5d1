import { memo, type ReactNode, useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useTags } from '../../api/hooks'
import { key, queryClient } from '../../api/query'
import { useSession } from '../../session'
import {
  Button,
  Checkbox,
  Field,
  Icon,
  IconButton,
  NetworkGlyph,
  TextArea,
  Thumbnail,
  toastError,
  useTyped,
} from '../../ui'
import { hasWords, many, mostUsed } from '../../ui/many'
import { instantOf, isDate, wallAt } from '../../zone'
import { useAsset } from '../media/library'
import { MediaPicker } from '../media/MediaPicker'
import styles from './compose.module.css'
import { type Account, countSet, type DraftComment, hasVideo, noComment, setOwn, setShared } from './draft'
import type { Network } from './networks'
import { SettingsForm } from './SettingsForm'
import { type DraftStore, useDraft } from './store'
import { TikTokSettings } from './TikTokSettings'

type Tag = Schemas['Tag']

/** A part of the composer that is closed until it is needed; its head tells what is in it. */
function Section({
  title,
  value,
  children,
  open,
}: {
  title: ReactNode
  value: ReactNode
  children: ReactNode
  /** It begins open. From there on it is the person's. */
  open?: boolean
}) {
  const [begin] = useState(open)
  return (
    <details className={styles.section} open={begin}>
      <summary>
        <span className={styles.sectionTitle}>{title}</span>
        <span className={styles.sectionValue}>{value}</span>
        <Icon name="down" size={16} />
      </summary>
      <div className={styles.sectionBody}>{children}</div>
    </details>
  )
}

export const FirstComment = memo(function FirstComment({
  store,
  networks,
}: {
  store: DraftStore
  networks: Network[]
}) {
  const comment = useDraft(store, d => d.firstComment)
  const trigger = useDraft(store, d => d.trigger)
  const setTrigger = (t: typeof trigger) => store.set(d => ({ ...d, trigger: t }))
  const without = networks.filter(n => !n.abilities.firstComment).map(n => n.displayName)
  return (
    <Section title="Comments" value={commentsInWords(comment, trigger !== null)}>
      <CommentFields
        store={store}
        label="First comment"
        hint={
          without.length > 0
            ? `Posted right after the post. ${without.join(', ')} cannot: there it is left out.`
            : 'Posted right after the post.'
        }
        comment={comment}
        onChange={firstComment => store.set(d => ({ ...d, firstComment }))}
      />
      <Checkbox
        label="Comment again when people like it"
        hint="Good for a link or an offer, once the post has found its readers."
        checked={trigger !== null}
        onChange={e => setTrigger(e.target.checked ? { likes: 100, hours: 24, comment: noComment() } : null)}
      />
      {trigger && (
        <div className={styles.nested}>
          <div className={styles.pair}>
            <Field
              label="Likes that it takes"
              type="number"
              inputMode="numeric"
              min={1}
              value={trigger.likes || ''}
              onChange={e => setTrigger({ ...trigger, likes: e.target.valueAsNumber || 0 })}
            />
            <Field
              label="Within how many hours"
              type="number"
              inputMode="numeric"
              min={1}
              value={trigger.hours || ''}
              onChange={e => setTrigger({ ...trigger, hours: e.target.valueAsNumber || 0 })}
            />
          </div>
          <CommentFields
            store={store}
            label="What to say then"
            comment={trigger.comment}
            onChange={c => store.set(d => ({ ...d, trigger: d.trigger && { ...d.trigger, comment: c } }))}
          />
        </div>
      )}
    </Section>
  )
})

function commentsInWords(comment: DraftComment, triggered: boolean): ReactNode {
  const first = comment.text ? <span dir="auto">{comment.text}</span> : comment.mediaIds.length > 0 ? 'Media' : null
  if (!triggered) return first ?? 'None'
  return first ? <>{first} · one more at likes</> : 'One at likes'
}

function CommentFields({
  store,
  label,
  hint,
  comment,
  onChange,
}: {
  store: DraftStore
  label: string
  hint?: string
  comment: DraftComment
  onChange: (c: DraftComment) => void
}) {
  const [picking, setPicking] = useState(false)
  return (
    <div className={styles.comment}>
      <TextArea
        key={store.generation}
        label={label}
        hint={hint}
        dir="auto"
        rows={2}
        defaultValue={comment.text}
        onChange={e => onChange({ ...comment, text: e.target.value })}
      />
      <div className={styles.row}>
        {comment.mediaIds.map(id => (
          <CommentMedia
            key={id}
            assetId={id}
            onRemove={() => onChange({ ...comment, mediaIds: comment.mediaIds.filter(m => m !== id) })}
          />
        ))}
        <Button size="small" icon="media" onClick={() => setPicking(true)}>
          Add media
        </Button>
      </div>
      {picking && (
        <MediaPicker
          onClose={() => setPicking(false)}
          onPick={assets => {
            setPicking(false)
            onChange({ ...comment, mediaIds: [...new Set([...comment.mediaIds, ...assets.map(a => a.id)])] })
          }}
        />
      )}
    </div>
  )
}

function CommentMedia({ assetId, onRemove }: { assetId: string; onRemove: () => void }) {
  const { team } = useSession()
  const asset = useAsset(team.id, assetId)
  const name = asset.data?.fileName ?? 'media'
  return (
    <span className={styles.commentMedia}>
      <Thumbnail src={asset.data?.thumbnailUrl} alt={name} size={40} />
      <IconButton size="small" icon="cross" label={`Remove ${name} from the comment`} onClick={onRemove} />
    </span>
  )
}

export const Repeat = memo(function Repeat({ store }: { store: DraftStore }) {
  const { zone } = useSession()
  const recurrence = useDraft(store, d => d.recurrence)
  const repost = useDraft(store, d => d.repost)
  const set = (r: typeof recurrence) => store.set(d => ({ ...d, recurrence: r }))
  const setRepost = (r: typeof repost) => store.set(d => ({ ...d, repost: r }))
  const until = useTyped(recurrence?.endsAt ? wallAt(Date.parse(recurrence.endsAt), zone).date : '', date => {
    const endsAt = isDate(date) ? new Date(instantOf({ date, minutes: 24 * 60 - 1 }, zone)).toISOString() : null
    if (recurrence) set({ ...recurrence, endsAt })
  })
  const says = [
    recurrence && (recurrence.days === 7 ? 'Every week' : `Every ${recurrence.days} days`),
    repost && `Repost after ${repost.offsetDays} ${repost.offsetDays === 1 ? 'day' : 'days'}`,
  ].filter(Boolean)
  return (
    <Section title="Repeat" value={says.join(', ') || 'Once'}>
      <Checkbox
        label="Publish it again and again"
        checked={recurrence !== null}
        onChange={e => set(e.target.checked ? { days: 7, endsAt: null } : null)}
      />
      {recurrence && (
        <div className={styles.pair}>
          <Field
            label="Every how many days"
            type="number"
            inputMode="numeric"
            value={recurrence.days || ''}
            onChange={e => set({ ...recurrence, days: e.target.valueAsNumber || 0 })}
          />
          <Field label="Until" hint="Empty: without end." type="date" {...until} />
        </div>
      )}
      <Checkbox
        label="Repost it later"
        hint="Where the network can."
        checked={repost !== null}
        onChange={e => setRepost(e.target.checked ? { offsetDays: 1, text: '' } : null)}
      />
      {repost && (
        <div className={styles.pair}>
          <Field
            label="After how many days"
            type="number"
            inputMode="numeric"
            value={repost.offsetDays || ''}
            onChange={e => setRepost({ ...repost, offsetDays: e.target.valueAsNumber || 0 })}
          />
          <Field
            label="With a comment"
            hint="With one it is a quote."
            dir="auto"
            value={repost.text}
            onChange={e => setRepost({ ...repost, text: e.target.value })}
          />
        </div>
      )}
    </Section>
  )
})

export const Tags = memo(function Tags({ store }: { store: DraftStore }) {
  const { team } = useSession()
  const chosen = useDraft(store, d => d.tagIds)
  const title = useDraft(store, d => d.title)
  const tags = useTags(team.id)
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const names = tags.data?.filter(t => chosen.includes(t.id)).map(t => t.name) ?? []
  const all = tags.data ?? []
  const long = all.length > many
  const fits = (t: Tag) => chosen.includes(t.id) || hasWords(t.name, name.trim())
  const shown = long ? (name.trim() ? all.filter(fits) : mostUsed(all, many, chosen)) : all
  const toggle = (id: string, on: boolean) =>
    store.set(d => ({ ...d, tagIds: on ? [...d.tagIds.filter(t => t !== id), id] : d.tagIds.filter(t => t !== id) }))
  const create = async () => {
    const wanted = name.trim()
    if (!wanted || busy) return
    setBusy(true)
    try {
      const present = tags.data?.find(t => t.name.toLowerCase() === wanted.toLowerCase())
      const tag =
        present ??
        (await ask(
          api.POST('/v1/teams/{teamId}/tags', { params: { path: { teamId: team.id } }, body: { name: wanted } }),
        ))
      toggle(tag.id, true)
      setName('')
      await queryClient.invalidateQueries({ queryKey: key('tags', team.id) })
    } catch (e) {
      toastError('The tag was not made', e)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title="Tags and title" value={[title, ...names].filter(Boolean).join(', ') || 'None'}>
      <ul className={styles.tags}>
        {shown.map(t => (
          <li key={t.id}>
            <label className={styles.tag} data-on={chosen.includes(t.id) || undefined}>
              <input type="checkbox" checked={chosen.includes(t.id)} onChange={e => toggle(t.id, e.target.checked)} />
              <span className={styles.tagDot} style={{ background: t.colour }} />
              {t.name}
            </label>
          </li>
        ))}
      </ul>
      <form
        className={styles.newTag}
        onSubmit={e => {
          e.preventDefault()
          create()
        }}
      >
        <Field
          label={long ? 'Find or make a tag' : 'New tag'}
          hint={long ? `${all.length} tags: type to find one.` : undefined}
          value={name}
          onChange={e => setName(e.target.value)}
        />
        <Button type="submit" busy={busy} disabled={!name.trim()}>
          Add
        </Button>
      </form>
      <Field
        key={store.generation}
        label="Title"
        hint="For your team only; never published."
        dir="auto"
        defaultValue={title}
        onChange={e => {
          const value = e.target.value
          store.set(d => ({ ...d, title: value }))
        }}
      />
    </Section>
  )
})

/** The settings of every chosen network, as a form made from what the interface tells. */
export const NetworkSettings = memo(function NetworkSettings({
  store,
  networks,
  accounts,
}: {
  store: DraftStore
  networks: Network[]
  accounts: Account[]
}) {
  return networks.map(n =>
    n.name === 'tiktok' ? (
      <TikTokSection key={n.name} {...{ store, network: n, accounts }} />
    ) : (
      <NetworkSection key={n.name} store={store} network={n} />
    ),
  )
})

function NetworkSection({ store, network }: { store: DraftStore; network: Network }) {
  const values = useDraft(store, d => d.settings)
  const differing = useDraft(store, d => Object.values(d.accountSettings).some(s => countSet(s, network.name) > 0))
  const set = countSet(values, network.name)
  const says = set === 0 ? 'Defaults' : `${set} set`
  return (
    <Section
      title={
        <>
          <NetworkGlyph provider={network.name} size={16} /> {network.displayName} settings
        </>
      }
      value={differing ? `${says}; some differ between accounts` : says}
    >
      <SettingsForm
        network={network.name}
        fields={network.settings}
        values={values}
        onChange={(k, v) => store.set(d => setShared(d, k, v))}
      />
    </Section>
  )
}

/** Creators differ in what they may choose, so every TikTok account has its own form. */
function TikTokSection({ store, network, accounts }: { store: DraftStore; network: Network; accounts: Account[] }) {
  const chosen = useDraft(store, d => d.accountIds)
  const own = useDraft(store, d => d.accountSettings)
  const creators = accounts.filter(a => a.provider === 'tiktok' && chosen.includes(a.id))
  const withVideo = useDraft(store, d => creators.flatMap(a => (hasVideo(d, a) ? [a.id] : [])).join(' '))
  const set = (id: string, k: string, v: unknown) => store.set(d => setOwn(d, id, k, v))
  const open = creators.some(a => !own[a.id]?.tiktokPrivacyLevel)
  return creators.map(a => (
    <Section
      key={a.id}
      open={open}
      title={
        <>
          <NetworkGlyph provider="tiktok" size={16} /> TikTok{creators.length > 1 && `: ${a.displayName}`}
        </>
      }
      value={own[a.id]?.tiktokPrivacyLevel ? `${countSet(own[a.id] ?? {}, 'tiktok')} set` : 'Choose who can see it'}
    >
      <TikTokSettings
        account={a}
        fields={network.settings}
        values={own[a.id] ?? {}}
        hasVideo={withVideo.includes(a.id)}
        onChange={(k, v) => set(a.id, k, v)}
      />
    </Section>
  ))
}
