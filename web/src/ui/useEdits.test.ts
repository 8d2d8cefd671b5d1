import { expect, test } from 'vitest'
import { changesOf } from './useEdits'

test('a form sends what was changed in it, and nothing else', () => {
  const before = { name: 'Bakery', website: null as string | null, teamIds: ['a'] as string[] | null }
  expect(changesOf(before, { ...before })).toEqual({})
  expect(changesOf(before, { ...before, website: 'https://example.com' })).toEqual({ website: 'https://example.com' })
  expect(changesOf(before, { ...before, teamIds: ['a'] })).toEqual({})
  expect(changesOf(before, { ...before, teamIds: null })).toEqual({ teamIds: null })
  expect(changesOf({ name: 'Bakery' }, { name: 'Bakery', colour: '#aa5500' })).toEqual({ colour: '#aa5500' })
})
