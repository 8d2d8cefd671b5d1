// What the page asks for and how it puts numbers into words. No requests, no elements.
import { addDays, daysBetween, isDate } from '../../zone'

export type Window = { from: string; to: string; days: number; own: boolean }

export const spans = [7, 30, 90] as const
const longest = 400

/** The days that the address asks for: a number of days up to today, or a first and a last day. */
export function windowOf(search: Record<string, string | undefined>, today: string): Window {
  const { from, to } = search
  if (isDate(from) && isDate(to) && from <= to) {
    const first = daysBetween(from, to) < longest ? from : addDays(to, 1 - longest)
    return { from: first, to, days: daysBetween(first, to) + 1, own: true }
  }
  const days = spans.find(s => String(s) === search.days) ?? 30
  return { from: addDays(today, 1 - days), to: today, days, own: false }
}

/** How wide a step of the chart is, so that there are some dozens of them. */
export function intervalOf(days: number): 'day' | 'week' | 'month' {
  if (days <= 45) return 'day'
  return days <= 200 ? 'week' : 'month'
}

/** The change against before, as a share; null when one of the two was not told, or there was nothing before. */
export function changeOf(now: number | null, before: number | null | undefined): number | null {
  if (now === null || before === null || before === undefined || before === 0) return null
  return now / before - 1
}

export function inPercent(share: number): string {
  const digits = Math.abs(share) < 0.1 ? 1 : 0
  return `${(share * 100).toFixed(digits)} %`
}

/** "+12 %", "−3.4 %", "as before". */
export function changeInWords(change: number): string {
  if (Math.abs(change) < 0.0005) return 'as before'
  return `${change > 0 ? '+' : '−'}${inPercent(Math.abs(change))}`
}

/** Numbers that fit: 950, 12.3k, 4.5M. What is not told has no number. */
export function short(value: number | null): string {
  if (value === null) return 'not told'
  if (Math.abs(value) < 10_000) return Math.round(value).toLocaleString('en')
  const [scaled, unit] = Math.abs(value) < 1_000_000 ? [value / 1000, 'k'] : [value / 1_000_000, 'M']
  return `${scaled.toFixed(Math.abs(scaled) < 100 ? 1 : 0)}${unit}`
}

type Sum = { told: number; notTold: number }

const count = (n: number, what: string) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`

/**
 * How much of it a sum of posts covers: "of 12 posts", "of 9 posts; 3 did not tell; 1 still to be read". unread are the
 * posts that nobody has been asked about yet: silence of a network is something else.
 */
export function coverage({ told, notTold }: Sum, unread: number): string {
  const open = Math.min(unread, notTold)
  const silent = notTold - open
  const parts = [told > 0 && `of ${count(told, 'post')}`]
  if (silent > 0)
    parts.push(told > 0 ? `${silent.toLocaleString('en')} did not tell` : `${count(silent, 'post')} did not tell`)
  if (open > 0)
    parts.push(
      told + silent > 0 ? `${open.toLocaleString('en')} still to be read` : `${count(open, 'post')} still to be read`,
    )
  return parts.filter(Boolean).join('; ') || 'no post'
}

/** How many accounts a sum of followers covers. Whether the others are silent or were not asked yet is not known. */
export function coverageOfAccounts({ told, notTold }: Sum): string {
  if (told === 0) return notTold === 0 ? 'no account' : `no number of ${count(notTold, 'account')} yet`
  return `of ${count(told, 'account')}${notTold === 0 ? '' : `; ${notTold.toLocaleString('en')} without a number`}`
}

/** What stands where a number would, when there is none. */
export function instead({ told, notTold }: Sum, unread: number): string {
  if (told + notTold === 0) return '–'
  return unread >= notTold ? 'not read yet' : 'not told'
}

export type Cell = { weekday: number; hour: number; posts: number; score: number | null }

/** The week as rows of hours, Monday first; an hour that the server left out is empty. */
export function weekOf(cells: Cell[]): Cell[][] {
  return Array.from({ length: 7 }, (_, day) =>
    Array.from(
      { length: 24 },
      (_, hour) =>
        cells.find(c => c.weekday === day + 1 && c.hour === hour) ?? { weekday: day + 1, hour, posts: 0, score: null },
    ),
  )
}

/** How strong a cell is drawn, 0 to 4: as usual and below is 0, twice as much and more is 4. */
export function strength(score: number | null): number {
  if (score === null || score <= 1) return 0
  return Math.min(4, Math.ceil((score - 1) * 4))
}
