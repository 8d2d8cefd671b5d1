import { useRef } from 'react'
import { explain } from '../../api/error'
import { Button, IconButton, Thumbnail } from '../../ui'
import { formatBytes } from './library'
import styles from './upload.module.css'
import { addUploads, isSameFile, removeUpload, retryUpload, type Upload } from './uploads'

function words(u: Upload): string {
  const percent = u.size > 0 ? Math.floor((u.sent / u.size) * 100) : 100
  switch (u.state) {
    case 'waiting':
      return 'Waiting'
    case 'sending':
      return `${percent}% of ${formatBytes(u.size)}`
    case 'offline':
      return `The line is lost at ${percent}%. It goes on by itself.`
    case 'finishing':
      return 'Checking the file…'
    case 'done':
      return 'Uploaded'
    case 'failed':
      return explain(u.error)
    case 'needs-file':
      return `Stopped at ${percent}% when the page closed. Choose the same file to go on from there.`
  }
}

/** One upload: its name, how far it is, and what can be done about it. */
export function UploadProgress({ upload: u }: { upload: Upload }) {
  const input = useRef<HTMLInputElement>(null)
  const again = (file: File | undefined) => {
    if (!file) return
    if (!isSameFile(u, file)) removeUpload(u.key)
    addUploads([file], { teamId: u.teamId, folderId: u.folderId, owner: u.owner })
  }
  return (
    <div className={styles.upload} data-state={u.state}>
      <Thumbnail src={u.preview} kind={u.type.startsWith('video/') ? 'video' : 'image'} size={48} />
      <div className={styles.text}>
        <span className={styles.name}>{u.name}</span>
        {u.state !== 'failed' && u.state !== 'done' && (
          <progress value={u.sent} max={Math.max(u.size, 1)} aria-label={`Upload of ${u.name}`} />
        )}
        <span className={u.state === 'failed' ? styles.problem : styles.words}>{words(u)}</span>
      </div>
      {u.state === 'failed' && (
        <Button size="small" icon="refresh" onClick={() => retryUpload(u.key)}>
          Try again
        </Button>
      )}
      {u.state === 'needs-file' && (
        <>
          <Button size="small" icon="upload" onClick={() => input.current?.click()}>
            Choose file
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            aria-label={`Choose ${u.name} again`}
            onChange={e => again(e.target.files?.[0])}
          />
        </>
      )}
      <IconButton
        size="small"
        icon="cross"
        label={u.state === 'done' ? `Hide ${u.name}` : `Cancel the upload of ${u.name}`}
        onClick={() => removeUpload(u.key)}
      />
    </div>
  )
}
