import { expect, test } from 'vitest'
import { outcomeOf } from './outcome'

test('the address tells how a connection ended', () => {
  expect(outcomeOf({})).toBeNull()
  expect(outcomeOf({ socialAccountIds: 'a' })).toEqual({ ok: true, text: 'The account is connected' })
  expect(outcomeOf({ socialAccountIds: 'a,b' })).toEqual({ ok: true, text: '2 accounts are connected' })
  expect(outcomeOf({ socialAccountIds: 'a', missingScopes: 'read,write' })?.text).toContain('without read, write')
  expect(outcomeOf({ error: 'access_denied' })).toEqual({ ok: false, text: 'access_denied' })
})
