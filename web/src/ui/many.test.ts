import { expect, test } from 'vitest'
import { hasWords, mostUsed } from './many'

const tags = [3, 0, 9, 1, 9].map((postCount, n) => ({ id: 'abcde'[n] ?? '', postCount }))

test.each([
  ['the most used, in the order that they have', 3, [], 'ace'],
  ['the chosen one too', 3, ['b'], 'bce'],
  ['all the chosen ones', 2, ['a', 'b', 'd'], 'abd'],
  ['all where there are few', 9, [], 'abcde'],
])('of many tags are shown %s', (_, most, chosen, want) => {
  const shown = mostUsed(tags, most, chosen)
  expect(shown.map(t => t.id).join('')).toBe(want)
})

test.each([
  ['', true],
  ['corner', true],
  ['BAK cor', true],
  ['bakery x', false],
])('Corner Bakery is found by %s: %s', (search, found) => {
  expect(hasWords('Corner Bakery', search)).toBe(found)
})
