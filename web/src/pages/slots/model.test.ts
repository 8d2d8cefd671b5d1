import { describe, expect, it } from 'vitest'
import { clickedMinutes, daysInWords, weekdaysFrom, weekOf } from './model'

const slot = (id: string, hour: number, daysOfWeek: number[]) => ({ id, hour, minute: 0, label: null, daysOfWeek })

describe('slots', () => {
  it('stand on each of their days, by time', () => {
    const week = weekOf([slot('late', 18, [1, 2]), slot('early', 9, [1])])
    expect(week[1]?.map(p => p.slot.id)).toEqual(['early', 'late'])
    expect(week[2]?.map(p => p.slot.id)).toEqual(['late'])
    expect(week[0]).toEqual([])
  })

  it('are made on the half hour of a click', () => {
    expect(clickedMinutes(100, 480, 100)).toBe(0)
    expect(clickedMinutes(100, 480, 100 + 9.7 * 20)).toBe(570)
    expect(clickedMinutes(100, 480, 5000)).toBe(1410)
  })

  it('say their days in words', () => {
    expect(daysInWords([0, 1, 2, 3, 4, 5, 6])).toBe('every day')
    expect(daysInWords([1, 2, 3, 4, 5])).toBe('Monday to Friday')
    expect(daysInWords([0, 3])).toBe('Wednesday, Sunday')
  })

  it('begin the week where it begins', () => {
    expect(weekdaysFrom(1)).toEqual([1, 2, 3, 4, 5, 6, 0])
    expect(weekdaysFrom(0)).toEqual([0, 1, 2, 3, 4, 5, 6])
  })
})
