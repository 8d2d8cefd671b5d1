import { describe, expect, it } from 'vitest'
import {
  addDays,
  addMonths,
  clock,
  clockChangeOn,
  daysBetween,
  instantOf,
  isDate,
  minutesOf,
  offsetAt,
  placeOf,
  startOfDay,
  startOfWeek,
  wallAt,
  weekday,
} from './zone'

const at = (iso: string) => Date.parse(iso)

describe('instants and wall times', () => {
  const cases: [string, string, string, number][] = [
    ['Europe/Berlin', '2026-01-15T08:00:00Z', '2026-01-15', 9 * 60],
    ['Europe/Berlin', '2026-07-15T07:00:00Z', '2026-07-15', 9 * 60],
    ['America/New_York', '2026-01-01T04:59:00Z', '2025-12-31', 23 * 60 + 59],
    ['Asia/Kathmandu', '2026-06-01T00:00:00Z', '2026-06-01', 5 * 60 + 45],
    ['Pacific/Kiritimati', '2026-06-01T12:00:00Z', '2026-06-02', 2 * 60],
    ['UTC', '2026-02-28T23:59:00Z', '2026-02-28', 23 * 60 + 59],
  ]
  it.each(cases)('%s at %s', (zone, iso, date, minutes) => {
    expect(wallAt(at(iso), zone)).toEqual({ date, minutes })
    expect(instantOf({ date, minutes }, zone)).toBe(at(iso))
  })

  it('keeps the wall time across both clock changes', () => {
    const nine = (date: string) => new Date(instantOf({ date, minutes: 540 }, 'Europe/Berlin')).toISOString()
    expect(nine('2026-03-28')).toBe('2026-03-28T08:00:00.000Z')
    expect(nine('2026-03-29')).toBe('2026-03-29T07:00:00.000Z')
    expect(nine('2026-10-24')).toBe('2026-10-24T07:00:00.000Z')
    expect(nine('2026-10-25')).toBe('2026-10-25T08:00:00.000Z')
  })

  it('moves a time that the clocks skip forward by the gap', () => {
    expect(instantOf({ date: '2026-03-29', minutes: 150 }, 'Europe/Berlin')).toBe(at('2026-03-29T01:30:00Z'))
    expect(instantOf({ date: '2026-03-08', minutes: 150 }, 'America/New_York')).toBe(at('2026-03-08T07:30:00Z'))
  })

  it('takes the first of a time that exists twice', () => {
    expect(instantOf({ date: '2026-10-25', minutes: 150 }, 'Europe/Berlin')).toBe(at('2026-10-25T00:30:00Z'))
    expect(instantOf({ date: '2026-11-01', minutes: 90 }, 'America/New_York')).toBe(at('2026-11-01T05:30:00Z'))
  })

  it('knows clocks that move by half an hour', () => {
    expect(offsetAt(at('2026-01-01T00:00:00Z'), 'Australia/Lord_Howe')).toBe(11 * 3_600_000)
    expect(clockChangeOn('2026-04-05', 'Australia/Lord_Howe')?.by).toBe(-30)
  })

  it('begins a day whose midnight does not exist at its first moment', () => {
    // Clocks in Beirut go from 24:00 to 01:00.
    expect(startOfDay('2026-03-29', 'Asia/Beirut')).toBe(at('2026-03-28T22:00:00Z'))
  })

  it('gives every instant of a year back that a wall time exists once for', () => {
    for (const zone of ['America/Sao_Paulo', 'Africa/Casablanca', 'Australia/Sydney', 'Asia/Kolkata']) {
      for (let t = at('2026-01-01T00:00:00Z'); t < at('2027-01-01T00:00:00Z'); t += 7 * 3_600_000) {
        const back = instantOf(wallAt(t, zone), zone)
        expect(wallAt(back, zone)).toEqual(wallAt(t, zone))
        expect(Math.abs(back - t)).toBeLessThanOrEqual(3_600_000)
      }
    }
  })
})

describe('clock changes', () => {
  it.each([
    ['2026-03-29', 'Europe/Berlin', { at: at('2026-03-29T01:00:00Z'), by: 60, from: 120, to: 180 }],
    ['2026-10-25', 'Europe/Berlin', { at: at('2026-10-25T01:00:00Z'), by: -60, from: 180, to: 120 }],
    ['2026-11-01', 'America/New_York', { at: at('2026-11-01T06:00:00Z'), by: -60, from: 120, to: 60 }],
    ['2026-03-28', 'Europe/Berlin', null],
    ['2026-03-29', 'UTC', null],
  ])('%s in %s', (date, zone, change) => {
    expect(clockChangeOn(date, zone)).toEqual(change)
  })
})

describe('days', () => {
  it('adds days and months', () => {
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01')
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31')
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
    expect(addMonths('2026-01-31', -2)).toBe('2025-11-30')
    expect(daysBetween('2026-03-01', '2026-04-01')).toBe(31)
  })

  it('finds weekdays and weeks', () => {
    expect(weekday('2026-11-15')).toBe(0)
    expect(startOfWeek('2026-11-15', 1)).toBe('2026-11-09')
    expect(startOfWeek('2026-11-15', 0)).toBe('2026-11-15')
  })

  it('recognizes dates', () => {
    expect(isDate('2026-02-29')).toBe(false)
    expect(isDate('2024-02-29')).toBe(true)
    expect(isDate('soon')).toBe(false)
    expect(isDate(undefined)).toBe(false)
  })

  it('reads and writes times of day', () => {
    expect(clock(545)).toBe('09:05')
    expect(minutesOf('23:59')).toBe(1439)
  })
})

it.each([
  ['Europe/Berlin', 'Berlin time'],
  ['America/Argentina/Buenos_Aires', 'Buenos Aires time'],
  ['UTC', 'UTC'],
])('calls %s %s', (zone, want) => {
  expect(placeOf(zone)).toBe(want)
})
