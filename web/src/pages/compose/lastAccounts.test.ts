import { expect, it } from 'vitest'
import { lastAccounts, rememberAccounts } from './lastAccounts'

function storage(kept: Record<string, string> = {}) {
  return {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, value: string) => {
      kept[name] = value
    },
  }
}

it('remembers the accounts of each team, as far as they can take a post', () => {
  const s = storage()
  rememberAccounts(s, 'team1', ['x1', 'f1', 'gone'])
  expect(lastAccounts(s, 'team1', ['f1', 'x1', 'l1'])).toEqual(['f1', 'x1'])
  expect(lastAccounts(s, 'team2', ['x1'])).toEqual([])
})

it('offers none when what was stored cannot be read', () => {
  expect(lastAccounts(storage({ 'crier-last-accounts:t': '{' }), 't', ['x1'])).toEqual([])
  expect(lastAccounts(storage({ 'crier-last-accounts:t': '{"a":1}' }), 't', ['x1'])).toEqual([])
})
