import { useState } from 'react'
import { explain } from '../../api/error'
import type { Version } from '../../api/extra'
import { useSession } from '../../session'
import { Badge, Button, EmptyState, Loaded, Time } from '../../ui'
import { useVersions } from './data'
import { diff } from './diff'
import styles from './post.module.css'

/** The text of a version, its variants with it. */
export function versionText(v: Version): string {
  const variants = v.postInput?.variants ?? []
  const parts = variants.map(x => {
    return `${x.provider ?? 'account'}: ${x.text ?? x.posts?.map(p => p.text).join('\n\n') ?? ''}`
  })
  return [v.text, ...parts].join('\n\n')
}

function mediaOf(v: Version): string[] {
  const input = v.postInput
  const parts = input?.kind === 'thread' ? input.posts : input ? [input] : []
  return parts.flatMap(p => (p.attachments ?? []).flatMap(a => (a.kind === 'media' ? [a.asset.assetId] : [a.url])))
}

/** What the content was, and what changed from one version to the next. */
export function Versions({ postId, published }: { postId: string; published: Set<string> }) {
  const { team } = useSession()
  const versions = useVersions(team.id, postId)
  return (
    <Loaded query={versions}>
      {list =>
        list.length === 0 ? (
          <EmptyState icon="posts" title="No versions" />
        ) : (
          <>
            <List list={list} published={published} more={versions.hasNextPage} />
            {versions.isFetchNextPageError && (
              <p role="alert" className={styles.bad}>
                The older ones could not be loaded: {explain(versions.error)}
              </p>
            )}
            {versions.hasNextPage && (
              <Button busy={versions.isFetchingNextPage} onClick={() => versions.fetchNextPage()}>
                Show older ones
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  )
}

/** The last one of a list is compared with the one before it once that is loaded. */
function List({ list, published, more }: { list: Version[]; published: Set<string>; more: boolean }) {
  const [open, setOpen] = useState(list[0]?.contentPayloadId)
  return (
    <ol className={styles.versions}>
      {list.map((v, n) => {
        const before = list[n + 1]
        return (
          <li key={v.contentPayloadId}>
            <button
              type="button"
              className={styles.version}
              aria-expanded={open === v.contentPayloadId}
              onClick={() => setOpen(open === v.contentPayloadId ? undefined : v.contentPayloadId)}
            >
              <Time at={v.createdAt} style="short" />
              <span>Version {v.version}</span>
              {v.current && <Badge>Present</Badge>}
              {published.has(v.contentPayloadId) && (
                <Badge icon="check" tone="good">
                  Published
                </Badge>
              )}
              {!before && !more && <span className={styles.soft}>first</span>}
            </button>
            {open === v.contentPayloadId && <Difference before={before} after={v} />}
          </li>
        )
      })}
    </ol>
  )
}

function Difference({ before, after }: { before: Version | undefined; after: Version }) {
  const changes = diff(before ? versionText(before) : versionText(after), versionText(after))
  const was = before ? mediaOf(before) : mediaOf(after)
  const is = mediaOf(after)
  const added = is.filter(m => !was.includes(m)).length
  const removed = was.filter(m => !is.includes(m)).length
  const media = [added > 0 && `${added} added`, removed > 0 && `${removed} removed`].filter(Boolean).join(', ')
  return (
    <div className={styles.difference}>
      <p dir="auto">
        {changes.map((c, n) => {
          const key = `${n} ${c.kind}`
          if (c.kind === 'added') return <ins key={key}>{c.text}</ins>
          if (c.kind === 'removed') return <del key={key}>{c.text}</del>
          return <span key={key}>{c.text}</span>
        })}
        {changes.length === 0 && <span className={styles.soft}>No text</span>}
      </p>
      {media && <p className={styles.soft}>Media: {media}.</p>}
    </div>
  )
}
