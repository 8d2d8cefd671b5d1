// Many of the same thing: a few at a time, and what failed is told with its reason.
import { addDays, instantOf, wallAt } from '../../zone'

export type BulkResult<T> = { succeeded: number; failures: { item: T; error: unknown }[] }

export async function inTurn<T>(items: T[], work: (item: T) => Promise<unknown>, atOnce = 4): Promise<BulkResult<T>> {
  const queue = [...items]
  const result: BulkResult<T> = { succeeded: 0, failures: [] }
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        await work(item)
        result.succeeded++
      } catch (error) {
        result.failures.push({ item, error })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return result
}

/** The same time of day in the zone, to the second, some days later or earlier. */
export function shiftDays(instant: number, days: number, zone: string): number {
  const { date, minutes } = wallAt(instant, zone)
  const rest = ((instant % 60_000) + 60_000) % 60_000
  return instantOf({ date: addDays(date, days), minutes }, zone) + rest
}
