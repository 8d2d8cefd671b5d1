// What a person is told of a chosen time before the button is pressed.
import { formatInstant } from '../../ui/Time'
import { clock, clockChangeOn, formatOffset, instantOf, isDate, minutesOf, offsetAt, wallAt } from '../../zone'
import type { Draft } from './draft'

/** Stops: the server would refuse it. */
export type TimeHint = { text: string; stops: boolean }

type Planned = Pick<Draft, 'when' | 'accountIds'>

const minute = 60_000
const soonest = minute
const latest = 90 * 24 * 60 * minute

const stop = (text: string): TimeHint => ({ text, stops: true })

/** What is wrong with the time, or what else it means than it seems; null where nothing is. */
export function timeHint({ when, accountIds }: Planned, zone: string, now: number): TimeHint | null {
  if (when.kind === 'planned') {
    const chosen = Object.entries(when.times).filter(([id]) => accountIds.includes(id))
    const first = Math.min(...chosen.map(([, t]) => Date.parse(t)))
    return first < now + soonest ? stop('Its time has come: as planned it cannot be updated any more.') : null
  }
  if (when.kind !== 'time') return null
  if (!isDate(when.date) || !/^\d{2}:\d{2}$/.test(when.time)) return stop('Choose a date and a time.')
  const wall = { date: when.date, minutes: minutesOf(when.time) }
  const at = instantOf(wall, zone)
  if (at < now) return stop(`This time is over: it is ${formatInstant(now, zone, 'short')} now.`)
  if (at < now + soonest) return stop('Choose a time that is at least a minute from now.')
  if (at > now + latest) return stop(`At most 90 days ahead: until ${formatInstant(now + latest, zone, 'short')}.`)
  return clockHint(wall, at, zone)
}

/** A time that the clocks skip, or show twice. */
function clockHint(wall: { date: string; minutes: number }, at: number, zone: string): TimeHint | null {
  const shown = wallAt(at, zone)
  if (shown.date !== wall.date || shown.minutes !== wall.minutes) {
    const time = shown.date === wall.date ? clock(shown.minutes) : formatInstant(at, zone, 'short')
    return { text: `The clocks skip ${clock(wall.minutes)} on this day: it goes out at ${time}.`, stops: false }
  }
  const change = clockChangeOn(wall.date, zone)
  const again = change && change.by < 0 ? wallAt(at - change.by * minute, zone) : null
  if (again?.date !== wall.date || again.minutes !== wall.minutes) return null
  const first = formatOffset(offsetAt(at, zone))
  return { text: `${clock(wall.minutes)} comes twice on this day: the first counts (UTC${first}).`, stops: false }
}
