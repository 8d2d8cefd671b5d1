import { expect, it } from 'vitest'
import type { Draft } from './draft'
import { timeHint } from './timeHint'

const zone = 'Europe/Berlin'
const now = Date.parse('2026-03-10T08:00:30Z') // 09:00:30 in Berlin
const of = (when: Draft['when'], now: number) => timeHint({ when, accountIds: ['x1', 't1'] }, zone, now)
const at = (date: string, time: string) => of({ kind: 'time', date, time }, now)

it('says nothing of a time that can be', () => {
  expect(at('2026-03-10', '09:02')).toBeNull()
  expect(at('2026-06-08', '10:00')).toBeNull() // 90 days, and the clocks have changed
  expect(of({ kind: 'slot' }, now)).toBeNull()
  expect(of({ kind: 'planned', times: { x1: '2026-03-10T08:02:00Z', gone: '2026-03-10T07:00:00Z' } }, now)).toBeNull()
})

it('stops a time that is over, too near or too far', () => {
  expect(at('2026-03-10', '09:00')).toEqual({
    text: 'This time is over: it is Tue 10 Mar, 09:00 now.',
    stops: true,
  })
  expect(at('2026-03-10', '09:01')).toEqual({ text: 'Choose a time that is at least a minute from now.', stops: true })
  expect(at('2026-06-08', '10:01')).toEqual({ text: 'At most 90 days ahead: until Mon 8 Jun, 10:00.', stops: true })
})

it('stops what is incomplete', () => {
  expect(at('', '09:00')).toMatchObject({ stops: true })
  expect(at('2026-03-12', '')).toMatchObject({ stops: true })
})

it('stops a plan whose first time has come', () => {
  const times = { x1: '2026-03-12T08:00:00Z', t1: '2026-03-10T08:01:00Z' }
  expect(of({ kind: 'planned', times }, now)).toMatchObject({ stops: true })
})

it('tells when a time that the clocks skip goes out', () => {
  expect(at('2026-03-29', '02:30')).toEqual({
    text: 'The clocks skip 02:30 on this day: it goes out at 03:30.',
    stops: false,
  })
  expect(at('2026-03-29', '03:30')).toBeNull()
})

it('tells which one of a time that comes twice is meant', () => {
  const autumn = Date.parse('2026-10-20T08:00:00Z')
  const hint = (time: string) => of({ kind: 'time', date: '2026-10-25', time }, autumn)
  expect(hint('02:30')).toEqual({
    text: '02:30 comes twice on this day: the first counts (UTC+02:00).',
    stops: false,
  })
  expect(hint('01:59')).toBeNull()
  expect(hint('03:00')).toBeNull()
})
