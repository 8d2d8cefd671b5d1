/** A text cut where the network folds it. foldAt counts code points, as the interface does. */
export function foldText(text: string, foldAt: number | null | undefined): { shown: string; hidden: string } {
  if (foldAt == null) return { shown: text, hidden: '' }
  let units = 0
  let points = 0
  for (const char of text) {
    if (points === foldAt) break
    units += char.length
    points++
  }
  return { shown: text.slice(0, units), hidden: text.slice(units) }
}

export type Piece = { text: string; mark: boolean }

/** Words that networks show as links; for the eye alone. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = []
  let at = 0
  for (const m of text.matchAll(/https?:\/\/\S+|(?<![\p{L}\p{N}_])[#@][\p{L}\p{N}_.]+/gu)) {
    if (m.index > at) found.push({ text: text.slice(at, m.index), mark: false })
    found.push({ text: m[0], mark: true })
    at = m.index + m[0].length
  }
  if (at < text.length) found.push({ text: text.slice(at), mark: false })
  return found
}
