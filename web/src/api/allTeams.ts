import { api, ask, type Schemas } from './client'
import type { AgentContext } from './extra'

/** How many teams and organizations the overview lists at most. */
const contextSize = 100

/**
 * The overview with the teams that it leaves out, because a person reaches more of them than it lists. Who may do
 * something in an organization may do it in each of the teams that they reach there.
 */
export async function withAllTeams(context: AgentContext, signal: AbortSignal): Promise<AgentContext> {
  if (context.teams.length < contextSize) return context
  const listed = new Set(context.teams.map(t => t.id))
  const more = (await readTeams(signal)).filter(t => !listed.has(t.id))
  const added = more.flatMap(t => {
    const organization = context.organizations.find(o => o.id === t.organizationId)
    return organization ? [{ ...t, role: organization.role, permissions: organization.permissions }] : []
  })
  return { ...context, teams: [...context.teams, ...added] }
}

async function readTeams(signal: AbortSignal): Promise<Schemas['Team'][]> {
  const teams: Schemas['Team'][] = []
  let cursor: string | undefined
  do {
    const query = { limit: '100', sortBy: 'createdAt', sortOrder: 'asc', cursor } as const
    const page = await ask(api.GET('/v1/teams', { params: { query }, signal }))
    teams.push(...page.data)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return teams
}
