import { useState } from 'react'
import { useSession } from '../../session'
import { Button, ButtonRow, Dialog, EmptyState, ErrorState, Field, LoadingState, Select, Thumbnail } from '../../ui'
import { type Asset, kindOf, useAssets, useFolders } from './library'
import styles from './picker.module.css'

/** Chooses from the team's media library. */
export function MediaPicker({
  onPick,
  onClose,
  kind,
  single,
}: {
  onPick: (assets: Asset[]) => void
  onClose: () => void
  kind?: Asset['kind']
  single?: boolean
}) {
  const { team } = useSession()
  const [q, setQ] = useState('')
  const [folderId, setFolderId] = useState('')
  const [picked, setPicked] = useState<Asset[]>([])
  const folders = useFolders(team.id)
  const list = useAssets(team.id, { q: q.trim() || undefined, folderId: folderId || undefined, kind })
  const assets = list.data?.pages.flatMap(p => p.data) ?? []
  const toggle = (a: Asset) => {
    if (single) onPick([a])
    else setPicked(p => (p.some(x => x.id === a.id) ? p.filter(x => x.id !== a.id) : [...p, a]))
  }
  return (
    <Dialog
      wide
      title="Media library"
      onClose={onClose}
      footer={
        single ? undefined : (
          <ButtonRow end>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" disabled={picked.length === 0} onClick={() => onPick(picked)}>
              {picked.length === 0 ? 'Add' : `Add ${picked.length}`}
            </Button>
          </ButtonRow>
        )
      }
    >
      <div className={styles.filters}>
        <Field
          label="Search"
          type="search"
          value={q}
          onChange={e => setQ(e.target.value)}
          placeholder="How its name begins"
        />
        <Select label="Folder" value={folderId} onChange={e => setFolderId(e.target.value)}>
          <option value="">All media</option>
          {folders.data?.map(f => (
            <option key={f.id} value={f.id}>
              {f.name}
            </option>
          ))}
        </Select>
      </div>
      {list.isPending && <LoadingState />}
      {list.error && <ErrorState error={list.error} retry={() => list.refetch()} />}
      {list.data && assets.length === 0 && (
        <EmptyState icon="media" title="Nothing here">
          Upload files, then they can be chosen.
        </EmptyState>
      )}
      <ul className={styles.grid}>
        {assets.map(a => (
          <li key={a.id}>
            <button
              type="button"
              className={styles.asset}
              aria-pressed={single ? undefined : picked.some(p => p.id === a.id)}
              disabled={a.status === 'failed'}
              onClick={() => toggle(a)}
            >
              <Thumbnail src={a.thumbnailUrl} kind={kindOf(a)} fill />
              <span className={styles.name}>{a.fileName}</span>
            </button>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          More
        </Button>
      )}
    </Dialog>
  )
}
