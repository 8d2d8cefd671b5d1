import { afterEach, expect, type MockInstance, test, vi } from 'vitest'
import { withAllTeams } from './allTeams'
import { api } from './client'
import type { AgentContext } from './extra'

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => ({
    id: `t${from + n}`,
    organizationId: 'o1',
    name: `Team ${from + n}`,
  }))

const contextOf = (teams: object[]) =>
  ({
    organizations: [{ id: 'o1', role: 'editor', permissions: ['read', 'write_posts'] }],
    teams: teams.map(t => ({ ...t, role: 'editor', permissions: ['read', 'write_posts'] })),
  }) as unknown as AgentContext

/** A server with so many teams; what it was asked for. */
function newServer(all: object[]) {
  const asked = vi.spyOn(api, 'GET') as unknown as MockInstance
  asked.mockImplementation(async (_: string, { params }: { params: { query: { limit: string; cursor?: string } } }) => {
    const from = Number(params.query.cursor ?? 0)
    const to = from + Number(params.query.limit)
    const nextCursor = to < all.length ? String(to) : null
    return { data: { data: all.slice(from, to), total: all.length, nextCursor }, response: new Response() }
  })
  return () => asked.mock.calls.map(([path]) => path)
}

afterEach(() => vi.restoreAllMocks())

test('a person with a hundred teams and more reaches all of them', async () => {
  const asked = newServer(numbered(1, 230))
  const { teams } = await withAllTeams(contextOf(numbered(1, 100)), new AbortController().signal)
  expect(asked()).toEqual(['/v1/teams', '/v1/teams', '/v1/teams'])
  expect(teams.map(t => t.id)).toEqual(numbered(1, 230).map(t => t.id))
  expect(teams[229]).toMatchObject({ name: 'Team 230', role: 'editor', permissions: ['read', 'write_posts'] })
})

test('whoever has fewer teams is asked for nothing more', async () => {
  const asked = newServer([])
  const context = contextOf(numbered(1, 99))
  expect(await withAllTeams(context, new AbortController().signal)).toBe(context)
  expect(asked()).toEqual([])
})

test('a team of an organization that the overview does not list is left out', async () => {
  newServer([...numbered(1, 100), { id: 'x', organizationId: 'o9', name: 'Elsewhere' }])
  const { teams } = await withAllTeams(contextOf(numbered(1, 100)), new AbortController().signal)
  expect(teams).toHaveLength(100)
})
