import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'

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

/**
 * The text of a search field. What is typed is searched for after a moment of rest; when the address changes by itself, as
 * by a link or the way back, the field follows.
 */
export function useSearchText(q: string, onChange: (patch: Search) => void): [string, (text: string) => void] {
  const [text, setText] = useState(q)
  const asked = useRef(q)
  useEffect(() => {
    if (q === asked.current) return
    asked.current = q
    setText(q)
  }, [q])
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.trim() === asked.current) return
      asked.current = text.trim()
      onChange({ q: asked.current || undefined })
    }, 250)
    return () => clearTimeout(timer)
  }, [text, onChange])
  return [text, setText]
}
