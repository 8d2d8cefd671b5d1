import { describe, expect, it } from 'vitest'
import { diff } from './diff'

const shown = (before: string, after: string) =>
  diff(before, after)
    .map(c => ({ same: c.text, added: `+[${c.text}]`, removed: `-[${c.text}]` })[c.kind])
    .join('')

describe('diff', () => {
  it.each([
    ['', '', ''],
    ['same', 'same', 'same'],
    ['', 'new', '+[new]'],
    ['old', '', '-[old]'],
    ['We open at nine', 'We open at ten', 'We open at -[nine]+[ten]'],
    ['one two three', 'one three', 'one -[two ]three'],
    ['今日は晴れ', '今日は雨', '今日は-[晴れ]+[雨]'],
    ['שלום עולם', 'שלום חבר', 'שלום -[עולם]+[חבר]'],
    ['Hi 👩‍🚀', 'Hi 👩‍🚀!', 'Hi -[👩‍🚀]+[👩‍🚀!]'],
  ])('from “%s” to “%s”', (before, after, result) => {
    expect(shown(before, after)).toBe(result)
  })

  it('gives both texts back, whatever they are', () => {
    const before = 'The quick brown fox jumps over the lazy dog. '.repeat(30)
    const after = before.replaceAll('lazy', 'sleepy').replace('quick', 'slow')
    const changes = diff(before, after)
    expect(
      changes
        .filter(c => c.kind !== 'added')
        .map(c => c.text)
        .join(''),
    ).toBe(before)
    expect(
      changes
        .filter(c => c.kind !== 'removed')
        .map(c => c.text)
        .join(''),
    ).toBe(after)
  })

  it('shows very long texts without anything in common one after the other', () => {
    const words = (p: string) => Array.from({ length: 3000 }, (_, n) => `${p}${n}`).join(' ')
    expect(
      diff(words('a'), words('b'))
        .map(c => c.kind)
        .includes('added'),
    ).toBe(true)
  })
})
