import { useEffect } from 'react'
import { toast, toastError } from '../ui/Toast'
import { useSearchState } from '../ui/useSearchState'

/** What the address tells after the network has sent the person back. */
export function outcomeOf(search: Record<string, string | undefined>): { ok: boolean; text: string } | null {
  if (search.error) return { ok: false, text: search.error }
  const ids = search.socialAccountIds?.split(',').filter(Boolean) ?? []
  if (ids.length === 0) return null
  const text = ids.length > 1 ? `${ids.length} accounts are connected` : 'The account is connected'
  if (!search.missingScopes) return { ok: true, text }
  return { ok: true, text: `${text}, without ${search.missingScopes.replaceAll(',', ', ')}` }
}

/** Says how a visit to a network ended, once, on whatever page it began, and takes it out of the address. */
export function useOutcome() {
  const [search, setSearch] = useSearchState()
  const outcome = outcomeOf(search)
  const text = outcome?.text
  const ok = outcome?.ok
  useEffect(() => {
    if (!text) return
    if (ok) toast(text)
    else toastError('The account was not connected', new Error(text))
    setSearch({ socialAccountIds: undefined, missingScopes: undefined, error: undefined })
  }, [text, ok, setSearch])
}
