import { useMemo, useSyncExternalStore } from 'react'

/** Whether the window is as a media query says: const narrow = useMedia('(max-width: 48rem)'). */
export function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query])
  return useSyncExternalStore(
    listener => {
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => list.matches,
  )
}
