import { expect, it } from 'vitest'
import { type Folder, formatBytes, formatLength } from './library'
import { tree } from './tree'

const folder = (id: string, parentId: string | null = null) => ({ id, name: id, parentId }) as Folder

it('lists folders below the ones that they lie in, by name', () => {
  const list = tree([
    folder('b'),
    folder('b1', 'b'),
    folder('a'),
    folder('b0', 'b'),
    folder('b01', 'b0'),
    folder('lost', 'gone'),
  ])
  expect(list.map(b => `${' '.repeat(b.depth)}${b.folder.id}`)).toEqual(['a', 'b', ' b0', '  b01', ' b1', 'lost'])
})

it.each([
  [999, '999 B'],
  [1_500, '1.5 kB'],
  [24_000_000, '24 MB'],
  [5_300_000_000, '5.3 GB'],
])('writes %s bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

it('writes lengths as minutes and seconds', () => {
  expect(formatLength(65.4)).toBe('1:05')
})
