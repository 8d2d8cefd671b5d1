import { api, ask, newId, type Schemas } from '../../api/client'
import { ApiError } from '../../api/error'
import type { ValidationResult } from '../../api/extra'
import { key, queryClient } from '../../api/query'
import { type Draft, sameBody, sameSet, toPostBody } from './draft'
import type { Outcome, Saved } from './saver'

export const isConflict = (e: unknown) => e instanceof ApiError && e.status === 412

/** Of a post that there was: it is deleted. */
export const isGone = (e: unknown) => e instanceof ApiError && e.status === 404

/** Answers that say nothing of the request itself: too slow, still running, too many. */
const passing = [408, 409, 429]

/** Whether the request had no effect and would have none if it were sent again. */
export function isRefusal(e: unknown): boolean {
  return e instanceof ApiError && e.status >= 400 && e.status < 500 && !passing.includes(e.status)
}

export function readPost(teamId: string, postId: string, signal?: AbortSignal) {
  return ask(api.GET('/v1/teams/{teamId}/posts/{postId}', { params: { path: { teamId, postId } }, signal }))
}

export function readVersion(teamId: string, postId: string, contentPayloadId: string) {
  const path = { teamId, postId, contentPayloadId }
  return ask(api.GET('/v1/teams/{teamId}/posts/{postId}/versions/{contentPayloadId}', { params: { path } }))
}

/** A save whose answer has not come yet, and which may have happened: sent again as it was, it happens once. */
export type Sent = { key: string; base: Saved | null; body: Schemas['PostUpdate'] }

/** What saving remembers between one time and the next. */
export type SaveMemory = { tags: string[]; sent: Sent | null }

/** Creates the post, or changes it if it is still what base names. */
async function send(teamId: string, { key: intent, base, body }: Sent): Promise<Saved> {
  const headers = { 'Idempotency-Key': intent }
  const post = await ask(
    base
      ? api.PATCH('/v1/teams/{teamId}/posts/{postId}', {
          params: { path: { teamId, postId: base.id } },
          headers: { ...headers, 'If-Match': `"${base.contentPayloadId}"` },
          body,
        })
      : api.POST('/v1/teams/{teamId}/posts', {
          params: { path: { teamId } },
          headers,
          body: body as Schemas['PostCreate'],
        }),
  )
  return { id: post.id, contentPayloadId: post.contentPayloadId }
}

/**
 * Saves content and title. They are changed only if they are still what base names. Where the answer to the last save was
 * lost, that one is repeated first, as it was: it may have made the version that this one has to stand on, and without
 * its answer one's own change would look like somebody else's.
 */
export async function saveContent(
  teamId: string,
  draft: Draft,
  base: Saved | null,
  memory: SaveMemory,
  remember: () => void,
): Promise<Outcome> {
  const body = toPostBody(draft)
  if (memory.sent?.base?.contentPayloadId !== base?.contentPayloadId) memory.sent = null
  for (;;) {
    memory.sent ??= { key: newId(), base, body }
    remember()
    const behind = !sameBody(memory.sent.body, body)
    try {
      const saved = await send(teamId, memory.sent)
      memory.sent = null
      return { saved, behind }
    } catch (e) {
      if (isRefusal(e)) memory.sent = null // it has not happened
      if (!isRefusal(e) || isConflict(e) || !behind) throw e
    }
  }
}

/**
 * Saves the tags of a post that exists. Tags that somebody has deleted meanwhile are left out, since nobody could take
 * them off: the list does not show them. Returns the ids of these.
 */
export async function saveTags(
  teamId: string,
  postId: string,
  tagIds: string[],
  memory: SaveMemory,
): Promise<string[]> {
  let rest = tagIds
  while (!sameSet(memory.tags, rest)) {
    try {
      await putTags(teamId, postId, rest)
      memory.tags = rest
    } catch (e) {
      const known = withoutRefused(rest, e)
      if (known.length === rest.length) throw e
      rest = known
    }
  }
  return tagIds.filter(id => !rest.includes(id))
}

function putTags(teamId: string, postId: string, tagIds: string[]) {
  return ask(
    api.PUT('/v1/teams/{teamId}/posts/{postId}/tags', { params: { path: { teamId, postId } }, body: { tagIds } }),
  )
}

/** The ids without those that the server does not know: its issues name their places. */
function withoutRefused(tagIds: string[], e: unknown): string[] {
  if (!(e instanceof ApiError) || e.status !== 400) return tagIds
  const refused = e.issues.filter(i => i.path[0] === 'tagIds').map(i => Number(i.path[1]))
  return tagIds.filter((_, n) => !refused.includes(n))
}

export type TryOut = Schemas['ContentValidation']

export function tryOut(teamId: string, body: TryOut, signal: AbortSignal): Promise<ValidationResult> {
  return ask(api.POST('/v1/teams/{teamId}/posts/validate', { params: { path: { teamId } }, body, signal }))
}

const inPost = (teamId: string, postId: string) => ({ params: { path: { teamId, postId } } })

/** The version of the content that the person has seen: of another one, nothing is done. */
const ifSeen = (version: string) => ({ 'If-Match': `"${version}"` })

/**
 * One key a press: a press that is repeated because the answer got lost has its effect once. Without a version, whatever
 * the content is by now is scheduled.
 */
export function schedulePost(
  teamId: string,
  postId: string,
  body: Schemas['ScheduleRequest'],
  intent: Record<string, string>,
  version?: string,
) {
  const headers = { ...intent, ...(version ? ifSeen(version) : {}) }
  return ask(api.POST('/v1/teams/{teamId}/posts/{postId}/schedule', { ...inPost(teamId, postId), headers, body }))
}

export function publishNow(
  teamId: string,
  postId: string,
  body: Omit<Schemas['PostNowRequest'], 'waitSeconds'>,
  intent: Record<string, string>,
  version: string,
) {
  return ask(
    api.POST('/v1/teams/{teamId}/posts/{postId}/post-now', {
      ...inPost(teamId, postId),
      headers: { ...intent, ...ifSeen(version) },
      body: { ...body, waitSeconds: 0 },
    }),
  )
}

export function approve(teamId: string, postId: string, version: string) {
  return ask(
    api.POST('/v1/teams/{teamId}/posts/{postId}/status', {
      ...inPost(teamId, postId),
      headers: ifSeen(version),
      body: { status: 'approved' },
    }),
  )
}

export function moveToDraft(teamId: string, postId: string) {
  return ask(api.POST('/v1/teams/{teamId}/posts/{postId}/move-to-draft', inPost(teamId, postId)))
}

export function refreshPosts(teamId: string) {
  for (const noun of ['posts', 'calendar', 'scheduled-posts', 'slots', 'credits'] as const) {
    queryClient.invalidateQueries({ queryKey: key(noun, ...(noun === 'credits' ? [] : [teamId])) })
  }
}
