// Differences of two texts, word by word.

export type Change = { kind: 'same' | 'added' | 'removed'; text: string }

/** Words, and what stands between them; scripts without spaces change character by character. */
function tokens(text: string): string[] {
  return (
    text.match(
      /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\s+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu,
    ) ?? []
  )
}

const tooMany = 4_000_000

/** What changed from one text to the next. Texts that are too long and too different are shown one after the other. */
export function diff(before: string, after: string): Change[] {
  if (before === after) return before ? [{ kind: 'same', text: before }] : []
  const a = tokens(before)
  const b = tokens(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end))
  return joined([
    { kind: 'same', text: a.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: a.slice(a.length - end).join('') },
  ])
}

/** By the longest common subsequence. */
function between(a: string[], b: string[]): Change[] {
  const changes: Change[] = []
  if (a.length * b.length > tooMany) {
    return [
      { kind: 'removed', text: a.join('') },
      { kind: 'added', text: b.join('') },
    ]
  }
  const width = b.length + 1
  const common = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const next = (i + 1) * width + j
      common[i * width + j] =
        a[i] === b[j] ? (common[next + 1] ?? 0) + 1 : Math.max(common[next] ?? 0, common[i * width + j + 1] ?? 0)
    }
  }
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      changes.push({ kind: 'same', text: a[i] ?? '' })
      i++
      j++
    } else if (
      i < a.length &&
      (j === b.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      changes.push({ kind: 'removed', text: a[i++] ?? '' })
    } else changes.push({ kind: 'added', text: b[j++] ?? '' })
  }
  return changes
}

function joined(changes: Change[]): Change[] {
  const result: Change[] = []
  for (const c of changes) {
    const last = result.at(-1)
    if (!c.text) continue
    if (last?.kind === c.kind) last.text += c.text
    else result.push({ ...c })
  }
  return result
}
