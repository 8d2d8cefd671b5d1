import { expect, test } from 'vitest'
import { formatInstant } from './Time'

test('an instant that is far away tells its year', () => {
  const now = Date.parse('2026-11-19T09:00:00Z')
  const shown = (at: string, style: 'short' | 'day') => formatInstant(Date.parse(at), 'Europe/Berlin', style, now)
  expect(shown('2026-11-20T08:00:00Z', 'short')).toBe('Fri 20 Nov, 09:00')
  expect(shown('2027-02-01T08:00:00Z', 'day')).toBe('Mon 1 Feb')
  expect(shown('2027-11-20T08:00:00Z', 'short')).toBe('Sat, 20 Nov 2027, 09:00')
  expect(shown('2025-11-20T08:00:00Z', 'day')).toBe('Thu, 20 Nov 2025')
})
