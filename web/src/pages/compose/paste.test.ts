import { expect, test } from 'vitest'
import { isText } from './paste'

const clipboard = (text: string, ...names: string[]) => ({
  files: names.map(name => ({ name })),
  getData: (type: string) => (type === 'text/plain' ? text : ''),
})

test.each([
  ['words alone', clipboard('Fresh bread'), true],
  ['words that an office program copies with a picture of them', clipboard('Fresh bread\t7:00', 'image.png'), true],
  ['a picture', clipboard('', 'image.png'), false],
  ['a file with its name', clipboard('bread.jpg', 'bread.jpg'), false],
  [
    'several files with their names',
    clipboard('/home/ada/bread.jpg\n/home/ada/cake.jpg', 'bread.jpg', 'cake.jpg'),
    false,
  ],
])('what is pasted: %s', (_, pasted, text) => {
  expect(isText(pasted)).toBe(text)
})
