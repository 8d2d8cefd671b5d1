import { describe, expect, it } from 'vitest'
import { affected } from './affected'
import { eventStreamParser } from './sse'

describe('eventStreamParser', () => {
  const text = ': hello\n\nid: 1\nevent: post.created\ndata: {"a":1}\n\nid: 2\r\ndata: x\r\ndata: y\r\n\r\n:ping\n\n'
  const whole = [
    { id: '1', event: 'post.created', data: '{"a":1}' },
    { id: '2', event: 'message', data: 'x\ny' },
  ]

  it('reads messages, comments and both line ends', () => {
    expect(eventStreamParser()(text)).toEqual(whole)
  })

  it('does not care where the text was cut', () => {
    for (let cut = 1; cut < text.length; cut++) {
      const parse = eventStreamParser()
      expect([...parse(text.slice(0, cut)), ...parse(text.slice(cut))]).toEqual(whole)
    }
  })
})

describe('affected', () => {
  it('merges a burst into one fetch per noun and team', () => {
    const event = { type: 'scheduled_post.published' as const, teamId: 't1' }
    expect(affected(Array.from({ length: 50 }, () => event))).toEqual([
      { noun: 'calendar', scope: 't1' },
      { noun: 'scheduled-posts', scope: 't1' },
      { noun: 'posts', scope: 't1' },
      { noun: 'slots', scope: 't1' },
    ])
  })

  it('keeps teams apart and ignores what it does not know', () => {
    const merged = affected([
      { type: 'asset.ready', teamId: 't1' },
      { type: 'asset.ready', teamId: 't2' },
      { type: 'member.joined', teamId: null },
      { type: 'weather.changed', teamId: 't1' },
    ])
    expect(merged).toEqual([
      { noun: 'assets', scope: 't1' },
      { noun: 'assets', scope: 't2' },
      { noun: 'members', scope: null },
      { noun: 'context', scope: null },
    ])
  })
})
