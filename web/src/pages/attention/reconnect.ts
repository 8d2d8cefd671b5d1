import { useEffect, useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useSession } from '../../session'
import { toastError } from '../../ui'

/** Sends the person to the network to connect an account, and back to this page. */
export function useConnect() {
  const { team } = useSession()
  const [busy, setBusy] = useState<string | null>(null)
  // Whoever turns back at the network comes to the page as it was left, where the browser keeps it.
  useEffect(() => {
    const back = (e: PageTransitionEvent) => e.persisted && setBusy(null)
    addEventListener('pageshow', back)
    return () => removeEventListener('pageshow', back)
  }, [])
  const connect = async (provider: Schemas['SocialAccount']['provider']) => {
    setBusy(provider)
    try {
      const { authorizationUrl } = await ask(
        api.POST('/v1/teams/{teamId}/social-accounts/connect', {
          params: { path: { teamId: team.id } },
          body: { provider, returnUrl: location.href },
        }),
      )
      location.assign(authorizationUrl)
    } catch (e) {
      toastError('The network could not be asked', e)
      setBusy(null)
    }
  }
  return { connect, busy }
}
