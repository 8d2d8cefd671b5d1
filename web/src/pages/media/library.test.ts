import { expect, test } from 'vitest'
import { formatLength, kindOf } from './library'

test('a GIF is told from a picture, which it is to the interface', () => {
  expect(kindOf({ kind: 'image', mimeType: 'image/gif' })).toBe('gif')
  expect(kindOf({ kind: 'image', mimeType: 'image/png' })).toBe('image')
  expect(kindOf({ kind: 'video', mimeType: 'video/mp4' })).toBe('video')
  expect(kindOf({ kind: 'document', mimeType: 'application/pdf' })).toBe('document')
})

test('lengths are minutes and seconds, at least one', () => {
  expect([0.3, 5.4, 61, 3600].map(formatLength)).toEqual(['0:01', '0:05', '1:01', '60:00'])
})
