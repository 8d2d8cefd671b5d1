// Wall-clock times in a named zone, which is the team's and seldom the browser's. Instants are milliseconds since 1970;
// days are ISO dates such as "2026-03-29", so that arithmetic on days knows no hours.

const minute = 60_000
const day = 24 * 60 * minute

/** A moment as a clock on the wall shows it. */
export type Wall = { date: string; minutes: number }

const formats = new Map<string, Intl.DateTimeFormat>()

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(zone, format)
  }
  return format
}

/** Whether the browser knows the zone. */
export function knownZone(zone: string): boolean {
  try {
    formatFor(zone)
    return true
  } catch {
    return false
  }
}

const quarter = 15 * minute
const offsets = new Map<string, Map<number, number>>()

/**
 * How far the zone is ahead of UTC at an instant, in milliseconds. Asking the browser is slow: a day of UTC that begins and
 * ends with the same offset has it throughout, and on the few others clocks change on a quarter of an hour.
 */
export function offsetAt(instant: number, zone: string): number {
  const begin = Math.floor(instant / day) * day
  const offset = offsetOfQuarter(begin, zone)
  return offset === offsetOfQuarter(begin + day, zone) ? offset : offsetOfQuarter(instant, zone)
}

function offsetOfQuarter(instant: number, zone: string): number {
  const begin = Math.floor(instant / quarter)
  let known = offsets.get(zone)
  if (!known) {
    known = new Map()
    offsets.set(zone, known)
  }
  let offset = known.get(begin)
  if (offset === undefined) {
    offset = computeOffset(begin * quarter, zone)
    known.set(begin, offset)
  }
  return offset
}

function computeOffset(instant: number, zone: string): number {
  const parts: Record<string, number> = {}
  for (const p of formatFor(zone).formatToParts(instant)) parts[p.type] = Number(p.value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant
}

/** What the clocks of the zone show at an instant. */
export function wallAt(instant: number, zone: string): Wall {
  const local = instant + offsetAt(instant, zone)
  return { date: isoDate(local), minutes: Math.floor((((local % day) + day) % day) / minute) }
}

/**
 * The instant at which the clocks of the zone show a time. A time that the clocks skip moves forward by the gap; one that
 * exists twice means the first. The server resolves slots in the same way.
 */
export function instantOf({ date, minutes }: Wall, zone: string): number {
  const local = dayNumber(date) * day + minutes * minute
  const before = offsetAt(local - day, zone)
  const after = offsetAt(local + day, zone)
  if (before === after) return local - before
  if (offsetAt(local - before, zone) === before) return local - before
  if (offsetAt(local - after, zone) === after) return local - after
  return local - before
}

/** The instant at which a day begins in the zone. */
export const startOfDay = (date: string, zone: string) => instantOf({ date, minutes: 0 }, zone)

/** A change of the clocks within a day: at which wall time, and by how many minutes they go forward. */
export type ClockChange = { at: number; by: number; from: number; to: number }

/** The clock change of a day in the zone, or null: nearly all days have none. */
export function clockChangeOn(date: string, zone: string): ClockChange | null {
  let low = startOfDay(date, zone) - 1 // the clocks of some zones change at midnight
  let high = startOfDay(addDays(date, 1), zone) - 1
  const from = offsetAt(low, zone)
  const to = offsetAt(high, zone)
  if (from === to) return null
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2)
    if (offsetAt(middle, zone) === from) low = middle
    else high = middle
  }
  const at = Math.floor(high / 1000) * 1000
  return { at, by: (to - from) / minute, from: wallOf(at + from), to: wallOf(at + to) }
}

const wallOf = (local: number) => Math.floor((((local % day) + day) % day) / minute)

/** Days since 1970-01-01. */
export function dayNumber(date: string): number {
  const [y = 0, m = 1, d = 1] = date.split('-').map(Number)
  return Math.round(Date.UTC(y, m - 1, d) / day)
}

function isoDate(local: number): string {
  return new Date(local).toISOString().slice(0, 10)
}

export const addDays = (date: string, days: number) => isoDate((dayNumber(date) + days) * day)

/** 0 is Sunday, as in slots. */
export const weekday = (date: string) => (((dayNumber(date) + 4) % 7) + 7) % 7

/** The same day of another month, or its last day. */
export function addMonths(date: string, months: number): string {
  const [y = 0, m = 1, d = 1] = date.split('-').map(Number)
  const last = new Date(Date.UTC(y, m + months, 0)).getUTCDate()
  return isoDate(Date.UTC(y, m - 1 + months, Math.min(d, last)))
}

export const startOfMonth = (date: string) => `${date.slice(0, 7)}-01`

/** The day on which the week of a date begins; firstDay is 0 for Sunday, 1 for Monday. */
export function startOfWeek(date: string, firstDay: number): string {
  return addDays(date, -((weekday(date) - firstDay + 7) % 7))
}

/** How many days lie between two dates. */
export const daysBetween = (from: string, to: string) => dayNumber(to) - dayNumber(from)

/** Whether a text is a date that exists. */
export function isDate(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && isoDate(dayNumber(text) * day) === text
}

/** "09:05" for 545. */
export function clock(minutes: number): string {
  const h = Math.floor(minutes / 60)
  const m = minutes % 60
  return `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`
}

/** 545 for "09:05". */
export function minutesOf(time: string): number {
  const [h = 0, m = 0] = time.split(':').map(Number)
  return h * 60 + m
}

const dayFormats = new Map<string, Intl.DateTimeFormat>()

/** A date in words; it is no instant, so no zone applies. */
export function formatDay(date: string, options: Intl.DateTimeFormatOptions): string {
  const name = JSON.stringify(options)
  let format = dayFormats.get(name)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    dayFormats.set(name, format)
  }
  return format.format(dayNumber(date) * day)
}

/** "+02:00" for an offset in milliseconds. */
export function formatOffset(offset: number): string {
  const total = Math.round(Math.abs(offset) / minute)
  return `${offset < 0 ? '-' : '+'}${clock(total)}`
}

/** "Berlin time" for Europe/Berlin, for where there is no room for its name; UTC stays UTC. */
export function placeOf(zone: string): string {
  const place = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
  return zone.includes('/') ? `${place} time` : zone
}

/** Where the browser's language begins the week; 0 is Sunday. */
export function firstDayOfWeek(): number {
  const locale = new Intl.Locale(navigator.language) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } }
  return (locale.getWeekInfo?.().firstDay ?? 1) % 7
}
