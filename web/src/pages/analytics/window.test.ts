import { describe, expect, it } from 'vitest'
import {
  changeInWords,
  changeOf,
  coverage,
  coverageOfAccounts,
  instead,
  intervalOf,
  short,
  strength,
  weekOf,
  windowOf,
} from './window'

describe('windowOf', () => {
  it('ends today and counts today', () => {
    expect(windowOf({ days: '7' }, '2026-11-16')).toEqual({ from: '2026-11-10', to: '2026-11-16', days: 7, own: false })
    expect(windowOf({}, '2026-11-16').days).toBe(30)
  })

  it('takes days of its own, and no more than the interface does', () => {
    expect(windowOf({ from: '2026-01-01', to: '2026-01-31' }, '2026-11-16')).toMatchObject({ days: 31, own: true })
    expect(windowOf({ from: '2020-01-01', to: '2026-01-31' }, '2026-11-16').days).toBe(400)
    expect(windowOf({ from: '2026-02-01', to: '2026-01-31' }, '2026-11-16').own).toBe(false)
  })
})

it('chooses steps that leave some dozens of them', () => {
  expect([7, 45, 90, 400].map(intervalOf)).toEqual(['day', 'day', 'week', 'month'])
})

describe('changes', () => {
  it('are not told when one side is not', () => {
    expect(changeOf(null, 3)).toBeNull()
    expect(changeOf(3, null)).toBeNull()
    expect(changeOf(3, 0)).toBeNull()
  })

  it('read as people say them', () => {
    expect(changeInWords(changeOf(112, 100) as number)).toBe('+12 %')
    expect(changeInWords(changeOf(97, 100) as number)).toBe('−3.0 %')
    expect(changeInWords(0)).toBe('as before')
  })
})

it('never shows what was not told as zero', () => {
  expect(short(null)).toBe('not told')
  expect([0, 9_999, 12_345, 4_500_000].map(short)).toEqual(['0', '9,999', '12.3k', '4.5M'])
})

describe('a sum without all numbers', () => {
  it('tells what the networks kept silent of from what is still to be read', () => {
    expect(coverage({ told: 9, notTold: 3 }, 0)).toBe('of 9 posts; 3 did not tell')
    expect(coverage({ told: 9, notTold: 3 }, 1)).toBe('of 9 posts; 2 did not tell; 1 still to be read')
    expect(coverage({ told: 1, notTold: 1 }, 1)).toBe('of 1 post; 1 still to be read')
    expect(coverage({ told: 0, notTold: 2 }, 0)).toBe('2 posts did not tell')
    expect(coverage({ told: 0, notTold: 2 }, 2)).toBe('2 posts still to be read')
    expect(coverage({ told: 0, notTold: 2 }, 1)).toBe('1 post did not tell; 1 still to be read')
    expect(coverage({ told: 0, notTold: 0 }, 0)).toBe('no post')
  })

  it('says of accounts only what is known', () => {
    expect(coverageOfAccounts({ told: 1, notTold: 0 })).toBe('of 1 account')
    expect(coverageOfAccounts({ told: 2, notTold: 1 })).toBe('of 2 accounts; 1 without a number')
    expect(coverageOfAccounts({ told: 0, notTold: 7 })).toBe('no number of 7 accounts yet')
  })

  it('has words in place of the number, and never a zero', () => {
    expect(instead({ told: 0, notTold: 0 }, 0)).toBe('–')
    expect(instead({ told: 0, notTold: 2 }, 2)).toBe('not read yet')
    expect(instead({ told: 0, notTold: 2 }, 1)).toBe('not told')
  })
})

it('draws a week of hours, empty where nothing was published', () => {
  const week = weekOf([{ weekday: 7, hour: 23, posts: 4, score: 1.5 }])
  expect(week.map(d => d.length)).toEqual(Array(7).fill(24))
  expect(week[6]?.[23]).toMatchObject({ posts: 4, score: 1.5 })
  expect(week[0]?.[0]).toMatchObject({ posts: 0, score: null })
  expect([null, 0.4, 1, 1.2, 1.5, 9].map(strength)).toEqual([0, 0, 0, 1, 2, 4])
})
