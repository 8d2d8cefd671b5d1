import { type ReactNode, useState } from 'react'
import { useTags } from '../../api/hooks'
import { useSession } from '../../session'
import { Button } from '../../ui'
import { mostUsed } from '../../ui/many'
import { useMedia } from '../../ui/useMedia'
import type { Search } from '../../ui/useSearchState'
import { useFacets } from './data'
import styles from './posts.module.css'

const types: Record<string, string> = {
  text_post: 'Text',
  text_image: 'Picture',
  text_video: 'Video',
  carousel: 'Carousel',
}
const atMost = 8
const tagsAtMost = 12

type Props = { search: Search; onChange: (patch: Search) => void }

/** What the posts are about. Where there is no room beside the list it is above it, folded. */
export function Facets(props: Props) {
  const { team } = useSession()
  const { search } = props
  const beside = useMedia('(min-width: 64.01rem)')
  const tags = useTags(team.id).data ?? []
  const facets = useFacets(team.id).data ?? []
  const tag = tags.find(t => t.id === search.tag)?.name
  const only = [search.tag && (tag ?? 'A tag'), search.type && (types[search.type] ?? search.type)].filter(Boolean)
  if (beside) return <All {...props} />
  if (only.length === 0 && !tags.some(t => t.postCount > 0) && !facets.some(f => f.values.length > 0)) return null
  return (
    <details className={styles.fold}>
      <summary>{only.length > 0 ? `Only: ${only.join(', ')}` : 'Tags, kinds, hashtags, links'}</summary>
      <All {...props} />
    </details>
  )
}

/** Everything that posts are about, with how many there are of each; a click narrows the list to them. */
function All({ search, onChange }: Props) {
  const { team } = useSession()
  const tags = useTags(team.id)
  const facets = useFacets(team.id)
  const [allTags, setAllTags] = useState(false)
  const values = (field: string) => facets.data?.find(f => f.field === field)?.values.slice(0, atMost) ?? []
  const usedTags = (tags.data ?? []).filter(t => t.postCount > 0 || t.id === search.tag)
  const shownTags = allTags ? usedTags : mostUsed(usedTags, tagsAtMost, search.tag ? [search.tag] : [])
  return (
    <div className={styles.facets}>
      <Facet
        title="Tags"
        more={
          usedTags.length > tagsAtMost && (
            <Button size="small" kind="quiet" aria-expanded={allTags} onClick={() => setAllTags(!allTags)}>
              {allTags ? 'Fewer tags' : `All ${usedTags.length} tags`}
            </Button>
          )
        }
      >
        {shownTags.map(t => (
          <Value
            key={t.id}
            on={search.tag === t.id}
            count={t.postCount}
            onToggle={on => onChange({ tag: on ? t.id : undefined })}
          >
            <span className={styles.dot} style={{ background: t.colour }} />
            {t.name}
          </Value>
        ))}
      </Facet>
      <Facet title="Kind">
        {values('postType').map(v => (
          <Value
            key={v.value}
            on={search.type === v.value}
            count={v.postCount}
            onToggle={on => onChange({ type: on ? v.value : undefined })}
          >
            {types[v.value] ?? v.value}
          </Value>
        ))}
      </Facet>
      {(['hashtags', 'linkDomains'] as const).map(field => (
        <Facet key={field} title={field === 'hashtags' ? 'Hashtags' : 'Links to'}>
          {values(field).map(v => {
            const word = field === 'hashtags' ? `#${v.value.replace(/^#/, '')}` : v.value
            return (
              <Value
                key={v.value}
                on={search.q === word}
                count={v.postCount}
                onToggle={on => onChange({ q: on ? word : undefined })}
              >
                {word}
              </Value>
            )
          })}
        </Facet>
      ))}
    </div>
  )
}

function Facet({ title, children, more }: { title: string; children: ReactNode[]; more?: ReactNode }) {
  if (children.length === 0) return null
  return (
    <fieldset className={styles.facet}>
      <legend>{title}</legend>
      {children}
      {more}
    </fieldset>
  )
}

function Value({
  on,
  count,
  onToggle,
  children,
}: {
  on: boolean
  count: number
  onToggle: (on: boolean) => void
  children: ReactNode
}) {
  return (
    <button type="button" className={styles.value} aria-pressed={on} onClick={() => onToggle(!on)}>
      <span className={styles.valueName} dir="auto">
        {children}
      </span>
      <span className={styles.valueCount}>{count.toLocaleString('en')}</span>
    </button>
  )
}
