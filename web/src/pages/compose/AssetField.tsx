import { type ReactNode, useId, useState } from 'react'
import { useSession } from '../../session'
import { Button, IconButton, Thumbnail } from '../../ui'
import { useAsset } from '../media/library'
import { MediaPicker } from '../media/MediaPicker'
import styles from './compose.module.css'

/** A setting whose value is an asset of the library, such as a cover. */
export function AssetField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  hint?: ReactNode
  value: unknown
  onChange: (assetId: string | undefined) => void
}) {
  const { team } = useSession()
  const [open, setOpen] = useState(false)
  const id = useId()
  const assetId = typeof value === 'string' ? value : undefined
  const asset = useAsset(team.id, assetId)
  return (
    <fieldset className={styles.assetField} aria-describedby={id}>
      <legend>{label}</legend>
      <p id={id} className={styles.hint}>
        {hint}
      </p>
      <div className={styles.row}>
        {assetId && <Thumbnail src={asset.data?.thumbnailUrl} size={40} />}
        <Button size="small" icon="media" onClick={() => setOpen(true)}>
          {assetId ? (asset.data?.fileName ?? 'Chosen') : 'Choose'}
        </Button>
        {assetId && (
          <IconButton size="small" icon="cross" label={`Remove ${label}`} onClick={() => onChange(undefined)} />
        )}
      </div>
      {open && (
        <MediaPicker
          single
          kind="image"
          onClose={() => setOpen(false)}
          onPick={([a]) => {
            setOpen(false)
            onChange(a?.id)
          }}
        />
      )}
    </fieldset>
  )
}
