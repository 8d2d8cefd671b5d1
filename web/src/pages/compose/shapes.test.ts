import { describe, expect, it } from 'vitest'
import { foldText, pieces } from './fold'
import { type Network, settingLabel, valueLabel } from './networks'
import { boxAt, largestBox, takenBy } from './shapes'

describe('foldText', () => {
  it.each([
    ['abc', null, 'abc', ''],
    ['abcdef', 3, 'abc', 'def'],
    ['👩🙂xyz', 2, '👩🙂', 'xyz'],
    ['short', 80, 'short', ''],
  ])('cuts %s at %s code points', (text, at, shown, hidden) => {
    expect(foldText(text, at)).toEqual({ shown, hidden })
  })
})

it('marks addresses, tags and mentions, and not the middle of words', () => {
  const marked = pieces('See https://a.example #Straße @ann me@mail').filter(p => p.mark)
  expect(marked.map(p => p.text)).toEqual(['https://a.example', '#Straße', '@ann'])
})

describe('crop', () => {
  it('keeps the largest box in the middle', () => {
    expect(largestBox(400, 200, 1)).toEqual({ x: 100, y: 0, width: 200, height: 200 })
  })

  it('stays within the picture', () => {
    expect(boxAt(400, 200, 1, 2, 0, 1)).toEqual({ x: 0, y: 100, width: 100, height: 100 })
  })

  it('names the networks that take a shape, by their own rules', () => {
    const network = (name: string, minAspect?: number, maxAspect?: number) =>
      ({ name, formats: [{ media: [{ class: 'image', mimeTypes: [], minAspect, maxAspect }] }] }) as unknown as Network
    const video = { name: 'youtube', formats: [{ media: [{ class: 'video', mimeTypes: [] }] }] } as unknown as Network
    expect(takenBy(9 / 16, [network('instagram', 0.8, 1.91), network('x'), video])).toEqual(['x'])
  })
})

it.each([
  ['xReplySettings', 'x', 'Reply settings'],
  ['tiktokIsAiGenerated', 'tiktok', 'Is AI generated'],
  ['youtubeCategoryId', 'youtube', 'Category id'],
  ['durationMinutes', '', 'Duration minutes'],
])('calls %s of %s “%s”', (key, network, label) => {
  expect(settingLabel(key, network)).toBe(label)
})

it.each([
  ['PUBLIC_TO_EVERYONE', 'Public to everyone'],
  ['mentionedUsers', 'Mentioned users'],
  ['feed', 'Feed'],
])('shows the value %s as “%s”', (value, label) => {
  expect(valueLabel(value)).toBe(label)
})
