import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type Search = Record<string, string | undefined>

/**
 * The state that the address bar holds, as strings: const [search, setSearch] = useSearchState(). A change is a patch;
 * undefined or '' removes a parameter. Changes replace the entry in the history unless push is given.
 */
export function useSearchState(): [Search, (patch: Search, push?: 'push') => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const set = useCallback(
    (patch: Search, push?: 'push') => {
      navigate({
        to: '.',
        search: ((before: Search) => clean({ ...before, ...patch })) as never,
        replace: push !== 'push',
      })
    },
    [navigate],
  )
  return [search, set]
}

function clean(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([, v]) => v !== undefined && v !== ''))
}
