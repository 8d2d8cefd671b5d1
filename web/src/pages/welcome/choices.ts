export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((label, n) => ({
  label,
  value: (n + 1) % 7,
}))

/** The zones that the browser knows; the present one and the browser's own are there in any case. */
export function zones(present: string, own: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return [...new Set([present, own, 'UTC', ...known])].toSorted()
}

/** "X, Facebook and Threads", each once. */
export function inWords(names: string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(new Set(names))
}
