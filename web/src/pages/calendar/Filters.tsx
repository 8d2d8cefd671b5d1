import { useMemo } from 'react'
import { useAccounts, useTags } from '../../api/hooks'
import { useSession } from '../../session'
import { Button, FilterMenu, Icon, NetworkGlyph, networkNames, type Provider, states } from '../../ui'
import type { Filter } from './model'

const statuses = ['scheduled', 'publishing', 'published', 'failed', 'missed', 'unknown', 'recurrence']

/** Which posts the calendar shows; the choice stands in the address bar. */
export function Filters({
  filter,
  onChange,
}: {
  filter: Filter
  onChange: (patch: Record<string, string | undefined>) => void
}) {
  const { team } = useSession()
  const accounts = useAccounts(team.id).data
  const tags = useTags(team.id).data
  const live = useMemo(() => accounts?.filter(a => a.status !== 'disconnected') ?? [], [accounts])
  const networks = useMemo(() => [...new Set(live.map(a => a.provider))], [live])
  const set = (name: keyof Filter) => (values: string[]) => onChange({ [name]: values.join(',') || undefined })
  const any = Object.values(filter).some(v => v.length > 0)
  return (
    <>
      <FilterMenu
        label="Accounts"
        selected={filter.account}
        onChange={set('account')}
        options={live.map(a => ({
          value: a.id,
          text: `${a.displayName} ${networkNames[a.provider]}`,
          label: (
            <>
              <NetworkGlyph provider={a.provider} label={networkNames[a.provider]} /> {a.displayName}
            </>
          ),
        }))}
      />
      <FilterMenu
        label="Networks"
        selected={filter.network}
        onChange={set('network')}
        options={networks.map((p: Provider) => ({
          value: p,
          label: (
            <>
              <NetworkGlyph provider={p} /> {networkNames[p]}
            </>
          ),
        }))}
      />
      <FilterMenu
        label="Status"
        selected={filter.status}
        onChange={set('status')}
        options={statuses.map(s => ({
          value: s,
          label: (
            <>
              <Icon name={states[s]?.icon ?? 'question'} size={16} /> {states[s]?.word}
            </>
          ),
        }))}
      />
      <FilterMenu
        label="Tags"
        selected={filter.tag}
        onChange={set('tag')}
        options={tags?.map(t => ({ value: t.id, text: t.name, label: t.name })) ?? []}
      />
      {any && (
        <Button
          size="small"
          kind="quiet"
          icon="cross"
          onClick={() => onChange({ account: undefined, network: undefined, status: undefined, tag: undefined })}
        >
          Clear
        </Button>
      )}
    </>
  )
}
