// Lists that are too long to be read: what is shown of them before anybody has typed.

/** From so many on, a list is searched and not read. */
export const many = 24

/** Those with the most posts, and the chosen ones, in the order that they have. */
export function mostUsed<T extends { id: string; postCount: number }>(tags: T[], most: number, chosen: string[]): T[] {
  const isChosen = (t: T) => Number(chosen.includes(t.id))
  const first = tags.toSorted((a, b) => isChosen(b) - isChosen(a) || b.postCount - a.postCount)
  const kept = new Set(first.slice(0, Math.max(most, chosen.length)))
  return tags.filter(t => kept.has(t))
}

/** Whether a name has all words of a search in it, as they are typed. */
export function hasWords(name: string, search: string): boolean {
  const text = name.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}
