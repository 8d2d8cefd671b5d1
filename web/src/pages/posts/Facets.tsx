import type { ReactNode } from 'react'
import { useTags } from '../../api/hooks'
import { useSession } from '../../session'
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

/** What the posts are about, with how many there are of each; a click narrows the list to them. */
export function Facets({ search, onChange }: { search: Search; onChange: (patch: Search) => void }) {
  const { team } = useSession()
  const tags = useTags(team.id)
  const facets = useFacets(team.id)
  const values = (field: string) => facets.data?.find(f => f.field === field)?.values.slice(0, atMost) ?? []
  const usedTags = (tags.data ?? []).filter(t => t.postCount > 0 || t.id === search.tag)
  return (
    <div className={styles.facets}>
      <Facet title="Tags">
        {usedTags.map(t => (
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

function Facet({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <fieldset className={styles.facet}>
      <legend>{title}</legend>
      {children}
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
