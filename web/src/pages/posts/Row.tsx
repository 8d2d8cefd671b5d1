import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Schemas } from '../../api/client'
import { NetworkGlyph, Status, Thumbnail, Time } from '../../ui'
import { postName } from '../post'
import type { Post } from './data'
import styles from './posts.module.css'

type Account = Schemas['SocialAccount']

function thumbnailOf(post: Post): { src?: string; video: boolean } | null {
  const input = post.postInput
  const parts = input?.kind === 'thread' ? input.posts : input ? [input] : []
  const media = parts.flatMap(p => p.attachments ?? []).find(a => a.kind === 'media')
  return media ? { src: media.asset.thumbnailUrl, video: media.asset.mimeType?.startsWith('video/') ?? false } : null
}

/** When it goes out next, else when it last went out. What was canceled has no time. */
function timeOf(post: Post): { at: string; due: boolean } | null {
  const all = (post.scheduledPosts ?? []).filter(s => s.status !== 'canceled')
  const waiting = all.filter(s => s.status === 'scheduled').map(s => s.scheduledAt)
  if (waiting.length > 0) return { at: waiting.toSorted()[0] ?? '', due: true }
  const done = all.map(s => s.publishedAt ?? s.scheduledAt).toSorted()
  return done.length > 0 ? { at: done.at(-1) ?? '', due: false } : null
}

export const Row = memo(function Row({
  post,
  accounts,
  chosen,
  onChoose,
}: {
  post: Post
  accounts: Account[]
  chosen: boolean
  onChoose?: (id: string, on: boolean) => void
}) {
  const thumbnail = thumbnailOf(post)
  const time = timeOf(post)
  const live = (post.scheduledPosts ?? []).filter(s => s.status !== 'canceled').map(s => s.socialAccountId)
  const networks = [...new Set(accounts.filter(a => live.includes(a.id)).map(a => a.provider))]
  const name = postName(post)
  return (
    <div className={styles.rowInner} data-chosen={chosen || undefined} data-fixed={onChoose ? undefined : ''}>
      {onChoose && (
        <input
          type="checkbox"
          className={styles.check}
          aria-label={`Choose ${name}`}
          checked={chosen}
          onChange={e => onChoose(post.id, e.target.checked)}
        />
      )}
      {thumbnail ? (
        <Thumbnail src={thumbnail.src} kind={thumbnail.video ? 'video' : 'image'} size={44} />
      ) : (
        <span className={styles.noThumb} />
      )}
      <div className={styles.rowText}>
        <Link to="/posts/$postId" params={{ postId: post.id }} className={styles.rowName} dir="auto">
          {name}
        </Link>
        <span className={styles.rowMeta}>
          {post.userTags.map(t => (
            <span key={t.id} className={styles.rowTag}>
              <span className={styles.dot} style={{ background: t.colour }} />
              {t.name}
            </span>
          ))}
          {networks.map(n => (
            <NetworkGlyph key={n} provider={n} size={14} label />
          ))}
        </span>
      </div>
      <div className={styles.rowState}>
        <Status state={post.deliveryState === 'unscheduled' ? post.status : post.deliveryState} />
        <span className={styles.soft}>
          {time ? (
            <Time at={time.at} style="short" />
          ) : (
            <>
              changed <Time at={post.updatedAt} style="short" />
            </>
          )}
        </span>
      </div>
    </div>
  )
})
