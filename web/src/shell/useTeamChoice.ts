import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { useSearchState } from '../ui/useSearchState'

const name = 'crier-team'

/** The chosen team: the address bar's, else the one that was used last in this browser. */
export function useTeamChoice(): string | undefined {
  const [{ team }] = useSearchState()
  useEffect(() => {
    if (team) localStorage.setItem(name, team)
  }, [team])
  return team ?? localStorage.getItem(name) ?? undefined
}

/** Changes the team and goes to its calendar: what is open belongs to the other one. */
export function useSwitchTeam(): (id: string) => void {
  const navigate = useNavigate()
  return useCallback(
    id => {
      localStorage.setItem(name, id)
      navigate({ to: '/', search: { team: id } })
    },
    [navigate],
  )
}
