import { describe, expect, it } from 'vitest'
import { type Context, can, makeSession } from './session'

function context(over: Partial<Context> = {}): Context {
  const organization = { id: 'o1', name: 'Acme', role: 'viewer', permissions: ['read', 'manage_members'] }
  const team = { id: 't1', organizationId: 'o1', name: 'Brand', timezone: 'Europe/Berlin', permissions: ['read'] }
  return {
    user: null,
    organizations: [organization],
    teams: [team, { ...team, id: 't2', timezone: 'Mars/Olympus' }, { ...team, id: 't3', timezone: null }],
    defaultTeamId: 't2',
    defaultOrganizationId: 'o1',
    serverTime: '2026-11-16T09:00:00Z',
    clockSkew: 1500,
    ...over,
  } as unknown as Context
}

describe('makeSession', () => {
  it('takes the chosen team, else the default, else the first', () => {
    expect(makeSession(context(), 't1')?.team.id).toBe('t1')
    expect(makeSession(context(), 'gone')?.team.id).toBe('t2')
    expect(makeSession(context({ defaultTeamId: null }), undefined)?.team.id).toBe('t1')
    expect(makeSession(context({ teams: [] }), 't1')).toBeNull()
  })

  it('keeps the clock of the answer, however long ago that was', () => {
    expect(makeSession(context(), 't1')?.clockSkew).toBe(1500)
    expect(makeSession(context(), 't2')?.clockSkew).toBe(1500)
  })

  it('falls back to UTC where the zone is unknown or not set', () => {
    expect(makeSession(context(), 't1')?.zone).toBe('Europe/Berlin')
    expect(makeSession(context(), 't2')?.zone).toBe('UTC')
    expect(makeSession(context(), 't3')?.zone).toBe('UTC')
  })
})

describe('can', () => {
  it('asks the organization or the team, as the permission is about', () => {
    const session = makeSession(context(), 't1')
    if (!session) throw new Error('no session')
    expect(can(session, 'manage_members')).toBe(true)
    expect(can(session, 'publish_posts')).toBe(false)
    expect(can(session, 'read')).toBe(true)
  })
})
