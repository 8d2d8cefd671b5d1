import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type { AgentContext, Permission } from './api/extra'
import { knownZone } from './zone'

export type Organization = AgentContext['organizations'][number]
export type Team = AgentContext['teams'][number]

/** The answer to who is here, with the server's clock minus the browser's at that moment, in milliseconds. */
export type Context = AgentContext & { clockSkew: number }

/** Who is here, and in which team: what every page stands on. */
export type Session = {
  user: AgentContext['user']
  organizations: Organization[]
  teams: Team[]
  organization: Organization
  team: Team
  /** The team's zone, or UTC: applied to everything that is shown, never to what is sent. */
  zone: string
  /** The server's clock minus the browser's, in milliseconds. */
  clockSkew: number
}

const SessionContext = createContext<Session | null>(null)

export function SessionProvider({
  context,
  teamId,
  children,
}: {
  context: Context
  teamId: string | undefined
  children: ReactNode
}) {
  const session = useMemo(() => makeSession(context, teamId), [context, teamId])
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The session of a context with a chosen team; null when the person belongs to no team. */
export function makeSession(context: Context, teamId: string | undefined): Session | null {
  const { teams, organizations, user, clockSkew } = context
  const team = teams.find(t => t.id === teamId) ?? teams.find(t => t.id === context.defaultTeamId) ?? teams[0]
  const organization = organizations.find(o => o.id === team?.organizationId)
  if (!team || !organization) return null
  const zone = team.timezone && knownZone(team.timezone) ? team.timezone : 'UTC'
  return { user, organizations, teams, organization, team, zone, clockSkew }
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession is for pages inside the shell')
  return session
}

/** What a person may do in an organization as a whole; everything else is asked of the team. */
const ofOrganization: Permission[] = [
  'manage_organization',
  'manage_members',
  'manage_api_keys',
  'manage_billing',
  'manage_webhooks',
  'create_teams',
]

/** Whether the person may do something in the present team. Nobody is shown a button that would be refused. */
export function useCan(permission: Permission): boolean {
  return can(useSession(), permission)
}

/** A server that tells no permissions is asked by trying: it refuses what is not allowed. */
export function can({ team, organization }: Pick<Session, 'team' | 'organization'>, permission: Permission): boolean {
  const { permissions } = ofOrganization.includes(permission) ? organization : team
  return permissions?.includes(permission) ?? true
}

/** What time it is by the server's clock. */
export const serverNow = (session: Pick<Session, 'clockSkew'>) => Date.now() + session.clockSkew

/**
 * The server's time, at most so many milliseconds old: what is shown goes on when nothing happens but time. A window that
 * is looked at again does not show what was true when it was left.
 */
export function useNow(every: number): number {
  const session = useSession()
  const [now, setNow] = useState(() => serverNow(session))
  useEffect(() => {
    const update = () => setNow(serverNow(session))
    const timer = setInterval(update, every)
    document.addEventListener('visibilitychange', update)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', update)
    }
  }, [session, every])
  return now
}
