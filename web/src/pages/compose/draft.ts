// The draft as the composer holds it, and its ways to and from the interface. Pure: no requests, no elements.
import { newId, type Schemas } from '../../api/client'
import type { PostInput, Variant } from '../../api/extra'
import type { Provider } from '../../ui'

export type Account = Schemas['SocialAccount']
export type Post = Schemas['Post']
export type MediaAttachment = Schemas['MediaAttachment']
export type LinkAttachment = Schemas['LinkAttachment']
export type Attachment = MediaAttachment | LinkAttachment

/** One post of a thread; a post that is no thread has one part. */
export type Part = { key: string; text: string; attachments: Attachment[] }

/** A text of its own for a network or one account. Without media of its own it shows the post's. */
export type DraftVariant = {
  key: string
  provider?: Provider
  socialAccountId?: string
  parts: Part[]
  ownMedia: boolean
}

export type When =
  | { kind: 'draft' }
  | { kind: 'slot' }
  | { kind: 'now' }
  /** A wall-clock time in the team's zone. */
  | { kind: 'time'; date: string; time: string }
  /** What waits keeps its times, which one choice cannot say: by account, as the server gave them. */
  | { kind: 'planned'; times: Record<string, string> }

/** By key; null is what was cleared. */
export type Settings = Record<string, unknown>

/** A comment below the post; without text and media there is none. */
export type DraftComment = { text: string; mediaIds: string[] }

export type Draft = {
  title: string
  parts: Part[]
  variants: DraftVariant[]
  tagIds: string[]
  firstComment: DraftComment
  /** A comment that follows once the post has enough likes. */
  trigger: { likes: number; hours: number; comment: DraftComment } | null
  repost: { offsetDays: number; text: string } | null
  recurrence: { days: number; endsAt: string | null } | null
  /** What the interface does not keep with a post: where it goes, when, and with which settings. */
  accountIds: string[]
  settings: Settings
  accountSettings: Record<string, Settings>
  when: When
}

export const newPart = (text = '', attachments: Attachment[] = []): Part => ({ key: newId(), text, attachments })

export const noComment = (): DraftComment => ({ text: '', mediaIds: [] })

const isEmpty = (c: DraftComment) => !c.text.trim() && c.mediaIds.length === 0

export function emptyDraft(): Draft {
  return {
    title: '',
    parts: [newPart()],
    variants: [],
    tagIds: [],
    firstComment: noComment(),
    trigger: null,
    repost: null,
    recurrence: null,
    accountIds: [],
    settings: {},
    accountSettings: {},
    when: { kind: 'slot' },
  }
}

/** Whether there is anything that would be a loss. */
export function isBlank(draft: Draft): boolean {
  const { title, parts, firstComment, trigger, variants } = draft
  if (title || !isEmpty(firstComment) || trigger || variants.length > 0) return false
  return parts.every(p => !p.text && p.attachments.length === 0)
}

/** What an account publishes: its own variant, else its network's, else the post's. */
export function contentFor(draft: Draft, account: Pick<Account, 'id' | 'provider'>): Part[] {
  const variant =
    draft.variants.find(v => v.socialAccountId === account.id) ??
    draft.variants.find(v => v.provider === account.provider)
  if (!variant) return draft.parts
  if (variant.ownMedia) return variant.parts
  return variant.parts.map((p, n) => ({ ...p, attachments: draft.parts[n]?.attachments ?? [] }))
}

/** Whether a video is among what an account publishes. */
export function hasVideo(draft: Draft, account: Pick<Account, 'id' | 'provider'>): boolean {
  const media = contentFor(draft, account).flatMap(p => p.attachments)
  return media.some(a => a.kind === 'media' && a.asset.mimeType?.startsWith('video/'))
}

/** Accounts of one network that publish the same thing, so that sixty accounts are not sixty previews. */
export type PreviewGroup = { key: string; provider: Provider; accounts: Account[]; parts: Part[] }

export function previewGroups(draft: Draft, accounts: Account[]): PreviewGroup[] {
  const groups = new Map<string, PreviewGroup>()
  for (const id of draft.accountIds) {
    const account = accounts.find(a => a.id === id)
    if (!account) continue
    const own = draft.variants.some(v => v.socialAccountId === id)
    const key = own ? id : account.provider
    const group = groups.get(key)
    if (group) group.accounts.push(account)
    else groups.set(key, { key, provider: account.provider, accounts: [account], parts: contentFor(draft, account) })
  }
  return [...groups.values()]
}

function sendAttachment(a: Attachment): Attachment {
  if (a.kind === 'link') return a
  return { kind: 'media', asset: { assetId: a.asset.assetId }, ...(a.altText ? { altText: a.altText } : {}) }
}

const sendPart = (p: Part) => ({
  kind: 'atomic' as const,
  text: p.text,
  attachments: p.attachments.map(sendAttachment),
})

function sendVariant(v: DraftVariant): Variant {
  const target = v.socialAccountId ? { socialAccountId: v.socialAccountId } : { provider: v.provider }
  const [first] = v.parts
  if (v.parts.length > 1) {
    const posts = v.parts.map(p => (v.ownMedia ? sendPart(p) : { kind: 'atomic' as const, text: p.text }))
    return { ...target, posts }
  }
  const media = v.ownMedia ? { attachments: (first?.attachments ?? []).map(sendAttachment) } : {}
  return { ...target, text: first?.text ?? '', ...media }
}

/** The draft's content as the interface takes it. */
export function toPostInput(draft: Draft): PostInput {
  const variants = draft.variants.length > 0 ? { variants: draft.variants.map(sendVariant) } : {}
  const [first = newPart(), ...more] = draft.parts
  if (more.length > 0) return { kind: 'thread', posts: draft.parts.map(sendPart), ...variants }
  return { ...sendPart(first), ...variants }
}

export function toActions(draft: Draft): Schemas['PostPublishActions'] {
  return {
    firstComment: isEmpty(draft.firstComment) ? null : draft.firstComment,
    engagementCommentTrigger: draft.trigger && {
      likeThreshold: draft.trigger.likes,
      windowHours: draft.trigger.hours,
      comment: draft.trigger.comment,
    },
    repostAfter: draft.repost && {
      offsetDays: draft.repost.offsetDays,
      ...(draft.repost.text.trim() ? { text: draft.repost.text, mode: 'quote' as const } : {}),
    },
    recurrenceIntervalDays: draft.recurrence?.days ?? null,
    recurrenceEndsAt: draft.recurrence?.endsAt ?? null,
  }
}

/** What is saved with the post. */
export function toPostBody(draft: Draft): Schemas['PostUpdate'] {
  return {
    title: draft.title.trim() || null,
    postInput: toPostInput(draft),
    postPublishActions: toActions(draft),
  }
}

function readPart(p: { text?: string; attachments?: Schemas['Attachment'][] | null }): Part {
  return newPart(p.text ?? '', (p.attachments ?? []) as Attachment[])
}

function readVariant(v: Variant, base: Part[]): DraftVariant {
  const posts = (v.posts ?? []) as { text?: string; attachments?: Schemas['Attachment'][] }[]
  const ownMedia = v.attachments != null || posts.some(p => (p.attachments?.length ?? 0) > 0)
  const parts =
    posts.length > 0
      ? posts.map(readPart)
      : [newPart(v.text ?? base[0]?.text ?? '', (v.attachments ?? []) as Attachment[])]
  return { key: newId(), provider: v.provider, socialAccountId: v.socialAccountId, parts, ownMedia }
}

const readComment = (c: Schemas['Comment'] | null | undefined): DraftComment =>
  c ? { text: c.text, mediaIds: c.mediaIds ?? [] } : noComment()

/** The content of a post, as the composer edits it. Where it goes is not part of it. */
export function fromPost(post: Post): Draft {
  const input = post.postInput as PostInput | undefined
  const parts = input?.kind === 'thread' ? input.posts.map(readPart) : [input ? readPart(input) : newPart(post.text)]
  const actions = post.postPublishActions
  const repost = actions?.repostAfter
  const trigger = actions?.engagementCommentTrigger
  return {
    ...emptyDraft(),
    title: post.title ?? '',
    parts,
    variants: (input?.variants ?? []).map(v => readVariant(v, parts)),
    tagIds: post.userTags.map(t => t.id),
    firstComment: readComment(actions?.firstComment),
    trigger: trigger
      ? { likes: trigger.likeThreshold, hours: trigger.windowHours, comment: readComment(trigger.comment) }
      : null,
    repost: repost ? { offsetDays: repost.offsetDays, text: repost.text ?? '' } : null,
    recurrence: actions?.recurrenceIntervalDays
      ? { days: actions.recurrenceIntervalDays, endsAt: actions.recurrenceEndsAt ?? null }
      : null,
    accountIds: post.scheduledDestinationAccountIds,
  }
}

/** Two drafts that save the same thing are the same content, whatever their keys are. */
export function sameContent(a: Draft, b: Draft): boolean {
  return sameBody(toPostBody(a), toPostBody(b)) && sameSet(a.tagIds, b.tagIds)
}

export function sameBody(a: Schemas['PostUpdate'], b: Schemas['PostUpdate']): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

export function sameSet(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every(id => b.includes(id))
}

/** Every asset that the draft shows. */
export function assetsOf(draft: Draft): MediaAttachment['asset'][] {
  const parts = [...draft.parts, ...draft.variants.flatMap(v => v.parts)]
  return parts.flatMap(p => p.attachments.flatMap(a => (a.kind === 'media' ? [a.asset] : [])))
}

const changeAt = <T>(list: T[], index: number, change: (item: T) => T) =>
  list.map((x, n) => (n === index ? change(x) : x))

/**
 * Sets a setting for all accounts of its network, also for those that had their own. One that is cleared is null, which
 * sets it back to the default: what is left out stays as it is on a post that waits.
 */
export function setShared(draft: Draft, key: string, value: unknown): Draft {
  const without = ({ [key]: _, ...rest }: Settings) => rest
  const own = Object.entries(draft.accountSettings).map(([id, s]) => [id, without(s)])
  return { ...draft, settings: { ...draft.settings, [key]: value ?? null }, accountSettings: Object.fromEntries(own) }
}

/** Sets a setting for one account; see setShared. */
export function setOwn(draft: Draft, id: string, key: string, value: unknown): Draft {
  const own = { ...draft.accountSettings[id], [key]: value ?? null }
  return { ...draft, accountSettings: { ...draft.accountSettings, [id]: own } }
}

/** How many settings of a network are chosen. */
export function countSet(values: Settings, network: string): number {
  return Object.entries(values).filter(([k, v]) => k.startsWith(network) && (v ?? null) !== null).length
}

/** Where in the draft an edit happens: the post's own parts, or a variant's. */
export type Place = { variant: string | null }

export function partsAt(draft: Draft, { variant }: Place): Part[] {
  return variant === null ? draft.parts : (draft.variants.find(v => v.key === variant)?.parts ?? [])
}

export function setPartsAt(draft: Draft, { variant }: Place, change: (parts: Part[]) => Part[]): Draft {
  if (variant === null) return { ...draft, parts: change(draft.parts) }
  return { ...draft, variants: draft.variants.map(v => (v.key === variant ? { ...v, parts: change(v.parts) } : v)) }
}

export function setPartAt(draft: Draft, place: Place, index: number, change: (part: Part) => Part): Draft {
  return setPartsAt(draft, place, parts => changeAt(parts, index, change))
}

export function addVariant(draft: Draft, target: { provider?: Provider; socialAccountId?: string }): [Draft, string] {
  const same = (v: DraftVariant) => v.provider === target.provider && v.socialAccountId === target.socialAccountId
  const present = draft.variants.find(same)
  if (present) return [draft, present.key]
  const variant: DraftVariant = {
    key: newId(),
    ...target,
    parts: draft.parts.map(p => newPart(p.text, [])),
    ownMedia: false,
  }
  return [{ ...draft, variants: [...draft.variants, variant] }, variant.key]
}

/** A variant gets media of its own, beginning with the post's, or shows the post's again. */
export function setOwnMedia(draft: Draft, key: string, own: boolean): Draft {
  const withMedia = (p: Part, n: number) => ({ ...p, attachments: own ? (draft.parts[n]?.attachments ?? []) : [] })
  return {
    ...draft,
    variants: draft.variants.map(v => (v.key === key ? { ...v, ownMedia: own, parts: v.parts.map(withMedia) } : v)),
  }
}
