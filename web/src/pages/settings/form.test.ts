import { expect, test } from 'vitest'
import { ApiError } from '../../api/error'
import { inWords } from './Audit'
import { browserName } from './browserName'
import { about, general, withoutField } from './form'

const refused = new ApiError(400, {
  _tag: 'HttpApiDecodeError',
  message: 'The request is not valid.',
  issues: [{ path: ['name'], message: 'must be 2 to 64 characters long' }],
})

test('what is wrong with a field stands at the field, and nowhere else', () => {
  expect(about(refused, 'name')).toBe('must be 2 to 64 characters long')
  expect(about(refused, 'website')).toBeUndefined()
  expect(general(refused, 'name', 'website')).toBeUndefined()
})

test('what belongs to no field is told below the form', () => {
  expect(general(refused, 'website')).toContain('must be 2 to 64 characters long')
  expect(general(new ApiError(403, { message: 'The caller lacks the permission manage_teams.' }), 'name')).toBe(
    'The caller lacks the permission manage_teams.',
  )
  expect(general(null, 'name')).toBeUndefined()
})

test('what is wrong with a field is over when the field is changed', () => {
  const both = new ApiError(400, {
    message: 'The request is not valid.',
    issues: [...refused.issues, { path: ['colour'], message: 'must be a colour' }],
  })
  const rest = withoutField(both, 'name')
  expect(about(rest, 'name')).toBeUndefined()
  expect(about(rest, 'colour')).toBe('must be a colour')
  expect(withoutField(rest, 'colour')).toBeNull()
  expect(withoutField(refused, 'website')).toBe(refused)
  expect(withoutField(new ApiError(409, { message: 'There is such a tag.' }), 'name')).toBeNull()
})

test('operations of the interface are told in words', () => {
  expect(inWords('rotateApiKey')).toBe('Rotate api key')
  expect(inWords('inviteMember')).toBe('Invite member')
})

test('browsers have the names that people know', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
  expect(browserName(chrome)).toBe('Chrome on Linux')
  expect(browserName(`${chrome} Edg/156.0`)).toBe('Edge on Linux')
  expect(browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1')).toBe(
    'Safari on iPhone',
  )
  expect(browserName('curl/8.0')).toBe('curl/8.0')
  expect(browserName('')).toBe('A browser')
})
