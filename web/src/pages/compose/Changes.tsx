import styles from './compose.module.css'
import { changesOf } from './contentChanges'
import type { Draft } from './draft'

/** What is different between two contents: words that go are struck out, words that come are underlined. */
export function Changes({ from, to }: { from: Draft; to: Draft }) {
  const { text, rest } = changesOf(from, to)
  if (text.length === 0 && rest.length === 0) return null
  return (
    <div className={styles.changes}>
      {text.length > 0 && (
        <p dir="auto">
          {text.map((c, n) => {
            const key = `${n} ${c.kind}`
            if (c.kind === 'added') return <ins key={key}>{c.text}</ins>
            if (c.kind === 'removed') return <del key={key}>{c.text}</del>
            return <span key={key}>{c.text}</span>
          })}
        </p>
      )}
      {rest.length > 0 && (
        <ul dir="auto">
          {rest.map(r => (
            <li key={r}>{r}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
