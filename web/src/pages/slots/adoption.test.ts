import { beforeEach, describe, expect, it } from 'vitest'
import { ApiError, unreachable } from '../../api/error'
import { adopt, begin, forget, leftOf, recall } from './adoption'

const everyDay = [0, 1, 2, 3, 4, 5, 6]
const slot = (id: string, hour: number, daysOfWeek = everyDay) => ({ id, hour, minute: 0, label: id, daysOfWeek })
const defaults = [slot('morning', 9), slot('afternoon', 13), slot('evening', 18)]

let stored: Map<string, string>
const place = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, text: string) => void stored.set(name, text),
  removeItem: (name: string) => void stored.delete(name),
}
beforeEach(() => {
  stored = new Map()
})

describe('adopting the default slots', () => {
  it('continues where it was interrupted, with the same keys', async () => {
    const own: ReturnType<typeof slot>[] = []
    const sent: string[] = []
    let fails = 'afternoon'
    const create = async (s: { label: string | null }, headers: Record<string, string>) => {
      sent.push(`${s.label} ${headers['Idempotency-Key']}`)
      if (s.label === fails) throw unreachable()
      own.push(defaults.find(d => d.id === s.label) ?? slot('none', 0))
    }
    await expect(adopt(begin(place, 'team', defaults), own, create)).rejects.toThrow('cannot be reached')
    const after = recall(place, 'team') // the page is loaded again, and shows the morning alone
    expect(leftOf(after, own).map(s => s.label)).toEqual(['afternoon', 'evening'])
    fails = ''
    if (after) await adopt(after, own, create)
    expect(own.map(s => s.id)).toEqual(['morning', 'afternoon', 'evening'])
    expect(sent.map(s => s.split(' ')[0])).toEqual(['morning', 'afternoon', 'afternoon', 'evening'])
    expect(sent[1]).toBe(sent[2])
    expect(new Set(sent).size).toBe(3)
  })

  it('leaves out what the team has at that time', async () => {
    const made: (string | null)[] = []
    const own = [slot('of my own', 13, [2]), slot('another', 12)]
    await adopt(begin(place, 'team', defaults), own, async s => made.push(s.label))
    expect(made).toEqual(['morning', 'evening'])
  })

  it('goes on when somebody else has made one', async () => {
    const made: (string | null)[] = []
    await adopt(begin(place, 'team', defaults), [], async s => {
      made.push(s.label)
      if (s.label === 'morning') throw new ApiError(409, { message: 'The team has a slot at 09:00.' })
    })
    expect(made).toEqual(['morning', 'afternoon', 'evening'])
  })

  it('is of one team, and over when it is forgotten', () => {
    begin(place, 'team', defaults)
    expect(recall(place, 'another')).toBeNull()
    forget(place, 'team')
    expect(leftOf(recall(place, 'team'), [])).toEqual([])
  })
})
