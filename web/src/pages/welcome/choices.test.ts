import { expect, it } from 'vitest'
import { inWords, weekdays, zones } from './choices'

it('counts days from Sunday, as slots do, and shows Monday first', () => {
  expect(weekdays[0]).toEqual({ label: 'Mon', value: 1 })
  expect(weekdays.at(-1)).toEqual({ label: 'Sun', value: 0 })
})

it('offers the present zone even if the browser does not know it, each once', () => {
  const list = zones('Mars/Olympus', 'Europe/Berlin')
  expect(list).toContain('Mars/Olympus')
  expect(list.filter(z => z === 'Europe/Berlin')).toHaveLength(1)
})

it('names networks as people do, each once', () => {
  expect(inWords(['X', 'Facebook', 'X', 'Threads'])).toBe('X, Facebook and Threads')
  expect(inWords(['X', 'X'])).toBe('X')
})
