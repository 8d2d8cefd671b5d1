import { clock } from '../../zone'

export type Slot = { id: string; hour: number; minute: number; label: string | null; daysOfWeek: number[] }

/** A slot on one day of the week. */
export type Placed = { slot: Slot; minutes: number }

/** The slots of each day, by time; 0 is Sunday. */
export function weekOf(slots: Slot[]): Placed[][] {
  return Array.from({ length: 7 }, (_, day) =>
    slots
      .filter(s => s.daysOfWeek.includes(day))
      .map(slot => ({ slot, minutes: slot.hour * 60 + slot.minute }))
      .sort((a, b) => a.minutes - b.minutes),
  )
}

/** The days of the week from the first on. */
export const weekdaysFrom = (first: number) => Array.from({ length: 7 }, (_, n) => (first + n) % 7)

/** The time that a click in the column of a day means: on the half hour. */
export function clickedMinutes(top: number, height: number, y: number): number {
  const exact = ((y - top) / height) * 1440
  return Math.max(0, Math.min(1410, Math.floor(exact / 30) * 30))
}

const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const dayName = (day: number) => names[day] ?? ''

/** "every day", "Monday to Friday", "Monday, Wednesday". */
export function daysInWords(days: number[]): string {
  const sorted = [...days].sort((a, b) => a - b).join()
  if (sorted === '0,1,2,3,4,5,6') return 'every day'
  if (sorted === '1,2,3,4,5') return 'Monday to Friday'
  if (sorted === '0,6') return 'Saturday and Sunday'
  return weekdaysFrom(1)
    .filter(d => days.includes(d))
    .map(dayName)
    .join(', ')
}

export const timeOf = (s: Pick<Slot, 'hour' | 'minute'>) => clock(s.hour * 60 + s.minute)
