import { memo } from 'react'
import { Button, Checkbox, Menu, NetworkGlyph, networkNames, type Provider } from '../../ui'
import styles from './compose.module.css'
import { type Account, addVariant, type DraftVariant, setOwnMedia } from './draft'
import { type DraftStore, useDraft } from './store'

function variantName(v: DraftVariant, accounts: Account[]): string {
  if (v.provider) return networkNames[v.provider]
  return accounts.find(a => a.id === v.socialAccountId)?.displayName ?? 'An account'
}

/** Which text is being written: the one for all, or that of a network or an account. */
export const VariantTabs = memo(function VariantTabs({
  store,
  accounts,
  current,
  onChange,
}: {
  store: DraftStore
  accounts: Account[]
  current: string | null
  onChange: (key: string | null) => void
}) {
  const variants = useDraft(store, d => d.variants)
  const chosen = useDraft(store, d => d.accountIds)
  const add = (target: { provider?: Provider; socialAccountId?: string }) => {
    const [draft, key] = addVariant(store.get(), target)
    store.set(() => draft)
    onChange(key)
  }
  const targets = accounts.filter(a => chosen.includes(a.id))
  const providers = [...new Set(targets.map(a => a.provider))]
  const several = targets.filter(a => targets.some(b => b !== a && b.provider === a.provider))
  if (providers.length + several.length === 0 && variants.length === 0) return null
  return (
    <fieldset className={styles.variants} aria-label="Which text">
      <button type="button" className={styles.tab} aria-pressed={current === null} onClick={() => onChange(null)}>
        All networks
      </button>
      {variants.map(v => (
        <button
          key={v.key}
          type="button"
          className={styles.tab}
          aria-pressed={current === v.key}
          onClick={() => onChange(v.key)}
        >
          {v.provider && <NetworkGlyph provider={v.provider} size={14} />} {variantName(v, accounts)}
        </button>
      ))}
      {(providers.length > 1 || several.length > 0 || variants.length === 0) && (
        <Menu
          label="Write a different text for"
          trigger={<span className={styles.tabAdd}>Different text for…</span>}
          size="small"
          align="start"
          items={[
            ...providers.map(p => ({ label: networkNames[p], onSelect: () => add({ provider: p }) })),
            ...(several.length > 0 ? (['line'] as const) : []),
            ...several.map(a => ({
              label: `${networkNames[a.provider]}: ${a.displayName}`,
              onSelect: () => add({ socialAccountId: a.id }),
            })),
          ]}
        />
      )}
    </fieldset>
  )
})

/** What a variant shares with the post, and the way back to sharing everything. */
export function VariantTools({ store, variant }: { store: DraftStore; variant: string }) {
  const own = useDraft(store, d => d.variants.find(v => v.key === variant)?.ownMedia ?? false)
  return (
    <div className={styles.variantTools}>
      <Checkbox
        label="Other media here"
        hint={own ? undefined : 'It shows the same media as on all networks.'}
        checked={own}
        onChange={e => store.set(d => setOwnMedia(d, variant, e.target.checked))}
      />
      <Button
        size="small"
        kind="quiet"
        icon="undo"
        onClick={() => store.set(d => ({ ...d, variants: d.variants.filter(v => v.key !== variant) }))}
      >
        Use the text of all networks
      </Button>
    </div>
  )
}
