import { expect, it } from 'vitest'
import { Intents } from './intents'

const hello = { text: 'Hello', accounts: ['a', 'b'] }

function storage() {
  const map = new Map<string, string>()
  return {
    map,
    getItem: (k: string) => map.get(k) ?? null,
    setItem: (k: string, v: string) => map.set(k, v),
    removeItem: (k: string) => map.delete(k),
  } as never as { map: Map<string, string> } & Storage
}

it('gives the same key to the same intent, and another one to another', () => {
  const intents = new Intents()
  const first = intents.keyFor('publish', hello)
  expect(intents.keyFor('publish', { ...hello })).toEqual(first)
  expect(intents.keyFor('create', hello)).not.toEqual(first)
  expect(new Intents().keyFor('publish', hello)).not.toEqual(first)
  expect(intents.keyFor('publish', hello, 1)).not.toEqual(first)
  expect(intents.keyFor('publish', hello)).toEqual(first)
})

it('forgets what another request for the same purpose has overtaken', () => {
  const intents = new Intents()
  const first = intents.keyFor('publish', hello)
  expect(intents.keyFor('publish', { ...hello, text: 'Hello!' })).not.toEqual(first)
  expect(intents.keyFor('publish', hello)).not.toEqual(first)
})

it('gives a new key once all is answered', () => {
  const intents = new Intents()
  expect(intents.open).toBe(false)
  const first = intents.keyFor('publish', hello)
  expect(intents.open).toBe(true)
  intents.forget()
  expect(intents.open).toBe(false)
  expect(intents.keyFor('publish', hello)).not.toEqual(first)
})

it('outlives a reload with a store, until all is answered', () => {
  const place = storage()
  const store = { place, name: 'first' }
  const first = new Intents(store).keyFor('publish', hello)
  const again = new Intents(store)
  expect(again.keyFor('publish', hello)).toEqual(first)
  again.forget()
  expect(place.map.size).toBe(0)
  place.setItem('first', 'nonsense')
  expect(new Intents(store).keyFor('publish', hello)).not.toEqual(first)
})
