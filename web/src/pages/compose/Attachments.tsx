import { memo, useRef, useState } from 'react'
import { explain } from '../../api/error'
import { useSession } from '../../session'
import { Button, Field, IconButton, Thumbnail } from '../../ui'
import { type Asset, useAsset } from '../media/library'
import { MediaPicker } from '../media/MediaPicker'
import { UploadProgress } from '../media/UploadProgress'
import { addUploads, type Upload } from '../media/uploads'
import { Crop } from './Crop'
import styles from './compose.module.css'
import type { Attachment, MediaAttachment } from './draft'

/** An asset as an attachment of a post. */
export function attach(asset: Asset): MediaAttachment {
  return {
    kind: 'media',
    asset: {
      assetId: asset.id,
      mimeType: asset.mimeType,
      byteSize: asset.byteSize,
      ...(asset.width != null ? { width: asset.width } : {}),
      ...(asset.height != null ? { height: asset.height } : {}),
      ...(asset.durationSeconds != null ? { durationSeconds: asset.durationSeconds } : {}),
      ...(asset.thumbnailUrl ? { thumbnailUrl: asset.thumbnailUrl } : {}),
    },
    ...(asset.altText ? { altText: asset.altText } : {}),
  }
}

type Props = {
  attachments: Attachment[]
  uploads: Upload[]
  owner: { draft: string; part: string }
  onChange: (change: (list: Attachment[]) => Attachment[]) => void
}

/** The media of one part: what is there, what is on its way, and the ways to add more. */
export const Attachments = memo(function Attachments({ attachments, uploads, owner, onChange }: Props) {
  const { team } = useSession()
  const input = useRef<HTMLInputElement>(null)
  const [picking, setPicking] = useState(false)
  const upload = (files: Iterable<File>, replaces?: string) =>
    addUploads(files, { teamId: team.id, folderId: null, owner: { ...owner, replaces } })
  return (
    <div className={styles.attachments}>
      {(attachments.length > 0 || uploads.length > 0) && (
        <ol className={styles.mediaList} aria-label="Media">
          {attachments.map((a, n) =>
            a.kind === 'media' ? (
              <MediaRow
                key={a.asset.assetId}
                attachment={a}
                first={n === 0}
                last={n === attachments.length - 1}
                onAlt={altText =>
                  onChange(list => list.map((x, i) => (i === n && x.kind === 'media' ? { ...x, altText } : x)))
                }
                onMove={by => onChange(list => moved(list, n, n + by))}
                onRemove={() => onChange(list => list.filter((_, i) => i !== n))}
                onCut={file => upload([file], a.asset.assetId)}
              />
            ) : (
              <li key={a.url} className={styles.mediaRow}>
                <span className={styles.hint}>{a.url}</span>
                <IconButton
                  size="small"
                  icon="cross"
                  label="Remove the link"
                  onClick={() => onChange(list => list.filter((_, i) => i !== n))}
                />
              </li>
            ),
          )}
          {uploads.map(u => (
            <li key={u.key}>
              <UploadProgress upload={u} />
            </li>
          ))}
        </ol>
      )}
      <div className={styles.row}>
        <Button size="small" icon="upload" onClick={() => input.current?.click()}>
          Upload
        </Button>
        <Button size="small" icon="media" onClick={() => setPicking(true)}>
          From library
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept="image/*,video/*,application/pdf"
          aria-label="Files to upload"
          onChange={e => {
            upload(e.target.files ?? [])
            e.target.value = ''
          }}
        />
      </div>
      {picking && (
        <MediaPicker
          onClose={() => setPicking(false)}
          onPick={assets => {
            setPicking(false)
            onChange(list => [...list, ...assets.map(attach)])
          }}
        />
      )}
    </div>
  )
})

/** Puts a finished upload into a part: at the place of what it replaces, with its description, or at the end. */
export function withUpload(list: Attachment[], asset: Asset, replaces: string | undefined): Attachment[] {
  const at = list.findIndex(a => a.kind === 'media' && a.asset.assetId === replaces)
  const before = list[at]
  if (before?.kind !== 'media') return [...list, attach(asset)]
  return list.with(at, { ...attach(asset), ...(before.altText ? { altText: before.altText } : {}) })
}

export function moved<T>(list: T[], from: number, to: number): T[] {
  if (to < 0 || to >= list.length) return list
  const next = [...list]
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}

function MediaRow({
  attachment,
  first,
  last,
  onAlt,
  onMove,
  onRemove,
  onCut,
}: {
  attachment: MediaAttachment
  first: boolean
  last: boolean
  onAlt: (text: string) => void
  onMove: (by: number) => void
  onRemove: () => void
  onCut: (file: File) => void
}) {
  const { team } = useSession()
  const { assetId, mimeType = '' } = attachment.asset
  const asset = useAsset(team.id, assetId)
  const [cropping, setCropping] = useState(false)
  const name = asset.data?.fileName ?? 'media'
  const video = mimeType.startsWith('video/')
  const image = /^image\/(jpeg|png|webp)/.test(mimeType)
  return (
    <li className={styles.mediaRow}>
      <Thumbnail
        src={asset.data?.thumbnailUrl ?? attachment.asset.thumbnailUrl}
        kind={video ? 'video' : 'image'}
        size={64}
      />
      <div className={styles.mediaText}>
        <Field
          label={`Description of ${name}`}
          hideLabel
          dir="auto"
          placeholder="Describe what it shows"
          title="For people who cannot see it"
          value={attachment.altText ?? ''}
          onChange={e => onAlt(e.target.value)}
        />
        <span className={styles.mediaName}>
          {asset.error ? explain(asset.error) : asset.data?.status === 'failed' ? asset.data.failureMessage : name}
          {asset.data?.status === 'processing' && ' · being read…'}
        </span>
      </div>
      <div className={styles.mediaTools}>
        {image && (
          <Button size="small" kind="quiet" onClick={() => setCropping(true)}>
            Crop
          </Button>
        )}
        {!(first && last) && (
          <>
            <IconButton size="small" icon="up" label={`Move ${name} up`} disabled={first} onClick={() => onMove(-1)} />
            <IconButton
              size="small"
              icon="down"
              label={`Move ${name} down`}
              disabled={last}
              onClick={() => onMove(1)}
            />
          </>
        )}
        <IconButton size="small" icon="cross" label={`Remove ${name}`} onClick={onRemove} />
      </div>
      {cropping && (
        <Crop
          picture={attachment.asset}
          name={name}
          onClose={() => setCropping(false)}
          onCut={file => {
            setCropping(false)
            onCut(file)
          }}
        />
      )}
    </li>
  )
}
