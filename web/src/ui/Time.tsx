import { serverNow, useSession } from '../session'
import { clock, formatDay, formatOffset, offsetAt, wallAt } from '../zone'

export type TimeStyle = 'full' | 'day' | 'time' | 'second' | 'short'

/** A day without its year is taken for the nearest of its name: for one that is not, the year is told. */
const isFar = (instant: number, now = instant) => Math.abs(instant - now) > 180 * 24 * 3_600_000

/** An instant in words, in a zone: "Tue 17 Nov 2026, 09:00". now is for instants that may be a year away. */
export function formatInstant(instant: number, zone: string, style: TimeStyle = 'full', now?: number): string {
  const { date, minutes } = wallAt(instant, zone)
  const time = clock(minutes)
  if (style === 'time') return time
  if (style === 'second') {
    const ms = ((instant % 60_000) + 60_000) % 60_000
    return `${time}:${(ms / 1000).toFixed(3).padStart(6, '0')}`
  }
  const year = style === 'full' || isFar(instant, now) ? 'numeric' : undefined
  const day = formatDay(date, { weekday: 'short', day: 'numeric', month: 'short', year })
  return style === 'day' ? day : `${day}, ${time}`
}

/** An instant in the team's zone, which its tip names; monospace, so that columns of them can be compared. */
export function Time({ at, style = 'full', zone }: { at: string | number | Date; style?: TimeStyle; zone?: string }) {
  const session = useSession()
  const inZone = zone ?? session.zone
  const instant = typeof at === 'number' ? at : new Date(at).getTime()
  const name = `${inZone} (UTC${formatOffset(offsetAt(instant, inZone))})`
  return (
    <time dateTime={new Date(instant).toISOString()} title={`${formatInstant(instant, inZone, 'full')} ${name}`}>
      {formatInstant(instant, inZone, style, serverNow(session))}
    </time>
  )
}

/** A length of time as people say it: "1.2 s", "3 min", "2 h 5 min". */
export function formatDuration(ms: number): string {
  const abs = Math.abs(ms)
  if (abs < 1000) return `${Math.round(ms)} ms`
  if (abs < 60_000) return `${(ms / 1000).toFixed(abs < 10_000 ? 1 : 0)} s`
  const minutes = Math.round(abs / 60_000)
  if (minutes < 60) return `${ms < 0 ? '-' : ''}${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${ms < 0 ? '-' : ''}${hours} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`
  return `${ms < 0 ? '-' : ''}${Math.round(hours / 24)} days`
}
