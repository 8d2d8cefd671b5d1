type Snapshot = { takenAt: string; metrics: Record<string, unknown> }

export type Series = { name: string; values: (number | null)[]; latest: number | null }

/** The readings of each metric in time. A metric that was never told is left out; one that is not told any more is null. */
export function series(snapshots: Snapshot[]): Series[] {
  const names = [...new Set(snapshots.flatMap(s => Object.keys(s.metrics)))]
  return names
    .map(name => {
      const values = snapshots.map(s => (typeof s.metrics[name] === 'number' ? (s.metrics[name] as number) : null))
      return { name, values, latest: values.at(-1) ?? null }
    })
    .filter(s => snapshots.some(x => typeof x.metrics[s.name] === 'number' || x.metrics[s.name] === null))
}

/** A line through the values that are known, within a box; the lowest lies at the bottom. */
export function points(values: (number | null)[], width: number, height: number): string {
  const known = values.flatMap((v, n) => (v === null ? [] : [{ v, n }]))
  const low = Math.min(...known.map(k => k.v))
  const high = Math.max(...known.map(k => k.v))
  const x = (n: number) => (values.length < 2 ? 0 : (n / (values.length - 1)) * width)
  const y = (v: number) => (high === low ? height / 2 : height - 1 - ((v - low) / (high - low)) * (height - 2))
  return known.map(k => `${round(x(k.n))},${round(y(k.v))}`).join(' ')
}

const round = (v: number) => Math.round(v * 10) / 10
