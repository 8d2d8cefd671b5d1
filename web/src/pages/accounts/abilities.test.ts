import { expect, test } from 'vitest'
import { abilitiesOf, inOrder } from './abilities'

test('abilities are told in words, and unknown ones are left out', () => {
  const { can, not } = abilitiesOf({
    capabilities: { postTypes: ['text_post', 'carousel', 'hologram'], firstComment: true, delete: false, formats: [] },
  })
  expect(can).toEqual(['text', 'several pictures', 'hologram', 'first comment'])
  expect(not).toEqual(['delete there'])
})

test('a capability that the server does not tell is neither can nor cannot', () => {
  expect(abilitiesOf({ capabilities: {} })).toEqual({ can: [], not: [] })
})

test('broken accounts come first, then by network and name', () => {
  const account = (
    displayName: string,
    provider: 'x' | 'facebook',
    status: 'connected' | 'refresh_needed' | 'disconnected',
  ) => ({
    displayName,
    provider,
    status,
  })
  const list = [
    account('Zoe', 'x', 'connected'),
    account('Ann', 'x', 'connected'),
    account('Old', 'facebook', 'disconnected'),
    account('Bea', 'x', 'refresh_needed'),
    account('Cat', 'facebook', 'connected'),
  ]
  expect(inOrder(list).map(a => a.displayName)).toEqual(['Bea', 'Ann', 'Zoe', 'Cat', 'Old'])
})
