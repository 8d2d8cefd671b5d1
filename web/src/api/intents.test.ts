import { expect, it } from 'vitest'
import { Intents } from './intents'

it('gives the same key to the same intent, and another one to another', () => {
  const intents = new Intents()
  const first = intents.keyFor('publish', { text: 'Hello', accounts: ['a', 'b'] })
  expect(intents.keyFor('publish', { text: 'Hello', accounts: ['a', 'b'] })).toBe(first)
  expect(intents.keyFor('create', { text: 'Hello', accounts: ['a', 'b'] })).not.toEqual(first)
  expect(intents.keyFor('publish', { text: 'Hello!', accounts: ['a', 'b'] })).not.toEqual(first)
  expect(new Intents().keyFor('publish', { text: 'Hello', accounts: ['a', 'b'] })).not.toEqual(first)
})
