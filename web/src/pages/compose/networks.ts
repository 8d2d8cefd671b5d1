// The networks as GET /v1/providers tells them: what they take, and which settings they have.
import type { Schemas } from '../../api/client'
import { useProviders } from '../../api/hooks'

/** A setting of a network: enough to make a form of it. */
export type SettingField = Schemas['PublishSetting']
export type Network = Schemas['ProviderInfo']

export function useNetworks(): Network[] {
  const { data } = useProviders()
  return data?.data ?? none
}

const none: Network[] = []

/** "Reply settings" for the key xReplySettings. */
export function settingLabel(key: string, network = ''): string {
  const bare = network && key.startsWith(network) ? key.slice(network.length) : key
  const words = bare
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/\bAi\b/g, 'AI')
    .replace(
      /\b(Id|Ids|Url|Urn|Ms)\b/g,
      w => ({ Id: 'id', Ids: 'ids', Url: 'address', Urn: 'URN', Ms: '(ms)' })[w] ?? w,
    )
  const [first = '', ...rest] = words.split(' ')
  const small = rest.map(w => (/^[A-Z][a-z]/.test(w) ? w.toLowerCase() : w))
  return [first.charAt(0).toUpperCase() + first.slice(1), ...small].join(' ')
}

/** "Everyone" for everyone, "Public to everyone" for PUBLIC_TO_EVERYONE, "Main feed" for mainFeed. */
export function valueLabel(value: string): string {
  const words =
    value.includes('_') || value === value.toUpperCase()
      ? value.toLowerCase().replaceAll('_', ' ')
      : value.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
