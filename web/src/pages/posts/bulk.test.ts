import { expect, it } from 'vitest'
import { inTurn, shiftDays } from './bulk'
import { visibleRange } from './window'

it('does everything, a few at a time, and tells what failed', async () => {
  let running = 0
  let most = 0
  const result = await inTurn([1, 2, 3, 4, 5, 6, 7], async n => {
    running++
    most = Math.max(most, running)
    await Promise.resolve()
    running--
    if (n === 3) throw new Error('three')
  })
  expect(result.succeeded).toBe(6)
  expect(result.failures).toMatchObject([{ item: 3, error: { message: 'three' } }])
  expect(most).toBe(4)
})

it('does nothing with nothing', async () => {
  expect(await inTurn([], async () => {})).toEqual({ succeeded: 0, failures: [] })
})

it('keeps the time of day across both clock changes', () => {
  const at = (iso: string) => Date.parse(iso)
  expect(shiftDays(at('2026-10-24T07:00:00Z'), 1, 'Europe/Berlin')).toBe(at('2026-10-25T08:00:00Z'))
  expect(shiftDays(at('2026-03-28T08:00:00Z'), 1, 'Europe/Berlin')).toBe(at('2026-03-29T07:00:00Z'))
  expect(shiftDays(at('2026-03-29T07:00:00Z'), -1, 'Europe/Berlin')).toBe(at('2026-03-28T08:00:00Z'))
})

it('keeps the seconds of the time of day', () => {
  expect(shiftDays(Date.parse('2026-10-24T07:00:42.500Z'), 1, 'Europe/Berlin')).toBe(
    Date.parse('2026-10-25T08:00:42.500Z'),
  )
})

it.each([
  ['above the screen', { top: -5000, screen: 800, row: 80, count: 10_000 }, { from: 56, to: 79 }],
  ['at the beginning', { top: 100, screen: 800, row: 80, count: 10_000 }, { from: 0, to: 15 }],
  ['a short list', { top: 0, screen: 800, row: 80, count: 3 }, { from: 0, to: 3 }],
  ['at the end', { top: -799_200, screen: 800, row: 80, count: 10_000 }, { from: 9984, to: 10_000 }],
])('draws the rows on the screen and a few around them: %s', (_, box, range) => {
  expect(visibleRange(box.top, box.screen, box.row, box.count)).toEqual(range)
})
