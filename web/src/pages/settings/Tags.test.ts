import { expect, test } from 'vitest'
import { fate } from './Tags'

const tag = (postCount: number) => ({ postCount }) as Parameters<typeof fate>[0]

test('the deletion of a tag says what becomes of its posts', () => {
  expect(fate(tag(0))).toBe('No post has it. This cannot be taken back.')
  expect(fate(tag(1))).toContain('taken off 1 post, drafts')
  expect(fate(tag(1200))).toContain('taken off 1,200 posts, drafts')
  expect(fate(tag(1200))).toContain('what is scheduled goes out as planned')
})
