import { useParams } from '@tanstack/react-router'
import { type DragEvent, useCallback, useEffect, useRef, useState } from 'react'
import { explain } from '../../api/error'
import { key, queryClient } from '../../api/query'
import { useCan, useSession } from '../../session'
import {
  askFirst,
  Button,
  EmptyState,
  ErrorState,
  Field,
  Icon,
  LoadingState,
  mediaKinds,
  Page,
  Select,
  showDialog,
  Thumbnail,
  toast,
  useSearchState,
  useSearchText,
} from '../../ui'
import { inTurn } from '../posts/bulk'
import { AssetDetail } from './AssetDetail'
import { Folders, MoveDialog } from './Folders'
import { type Asset, deleteAsset, formatBytes, formatLength, kindOf, moveAsset, useAssets, useFolders } from './library'
import styles from './media.module.css'
import { UploadProgress } from './UploadProgress'
import { addUploads, removeUpload } from './uploads'
import { useUploads } from './useUploads'

/** The team's media: folders, what is in them, and what is on its way. */
export default function MediaPage() {
  const { folderId } = useParams({ strict: false }) as { folderId?: string }
  const { team } = useSession()
  const mayManage = useCan('manage_media')
  const [search, setSearch] = useSearchState()
  const folders = useFolders(team.id)
  const folder = folders.data?.find(f => f.id === folderId)
  const kind = search.kind as Asset['kind'] | undefined
  const list = useAssets(team.id, { folderId, q: search.q, kind })
  const assets = list.data?.pages.flatMap(p => p.data) ?? []
  const [chosen, setChosen] = useState<string[]>([])
  const upload = useCallback(
    (files: Iterable<File>) => addUploads(files, { teamId: team.id, folderId: folderId ?? null, owner: null }),
    [team.id, folderId],
  )
  usePaste(mayManage, upload)
  const [over, setOver] = useState(false)
  const drop = (e: DragEvent) => {
    setOver(false)
    if (!mayManage || e.dataTransfer.files.length === 0) return
    e.preventDefault()
    upload(e.dataTransfer.files)
  }
  const picked = assets.filter(a => chosen.includes(a.id))
  const toggle = (id: string, on: boolean) => setChosen(c => (on ? [...c, id] : c.filter(x => x !== id)))
  return (
    <Page wide title={folder?.name ?? 'Media'} actions={mayManage && <UploadButtons onFiles={upload} />}>
      <div className={styles.layout}>
        <Folders folders={folders.data ?? []} current={folderId} mayManage={mayManage} />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping files is a short cut of the button above */}
        <div
          className={styles.main}
          data-over={over || undefined}
          onDrop={drop}
          onDragOver={e => {
            if (!mayManage || !e.dataTransfer.types.includes('Files')) return
            e.preventDefault()
            setOver(true)
          }}
          onDragLeave={e => e.currentTarget === e.target && setOver(false)}
        >
          <Filters q={search.q ?? ''} kind={search.kind ?? ''} onChange={setSearch} />
          <Uploads />
          {picked.length > 0 && <BulkBar picked={picked} onDone={() => setChosen([])} />}
          {list.isPending && <LoadingState />}
          {list.error && !list.data && <ErrorState error={list.error} retry={() => list.refetch()} />}
          {list.data && assets.length === 0 && (
            <Nothing searched={Boolean(search.q || search.kind)} mayManage={mayManage} />
          )}
          <ul className={styles.grid}>
            {assets.map(a => (
              <AssetCard
                key={a.id}
                asset={a}
                chosen={chosen.includes(a.id)}
                onChoose={mayManage ? on => toggle(a.id, on) : undefined}
                onOpen={() => setSearch({ asset: a.id })}
              />
            ))}
          </ul>
          <More list={list} />
        </div>
      </div>
      {search.asset && (
        <AssetDetail
          assetId={search.asset}
          mayManage={mayManage}
          folders={folders.data ?? []}
          onClose={() => setSearch({ asset: undefined })}
        />
      )}
    </Page>
  )
}

/** Pictures that are pasted anywhere on the page, except into a field. */
function usePaste(enabled: boolean, upload: (files: Iterable<File>) => void) {
  useEffect(() => {
    if (!enabled) return
    const onPaste = (e: ClipboardEvent) => {
      const files = e.clipboardData?.files
      if (!files?.length || (e.target as HTMLElement).closest?.('input, textarea')) return
      e.preventDefault()
      upload(files)
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  }, [enabled, upload])
}

function UploadButtons({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const file = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const take = (e: React.ChangeEvent<HTMLInputElement>) => {
    onFiles(e.target.files ?? [])
    e.target.value = ''
  }
  return (
    <>
      <span className={styles.camera}>
        <Button icon="video" onClick={() => camera.current?.click()}>
          Camera
        </Button>
      </span>
      <Button kind="primary" icon="upload" onClick={() => file.current?.click()}>
        Upload
      </Button>
      <input
        ref={file}
        type="file"
        multiple
        hidden
        accept="image/*,video/*,application/pdf"
        aria-label="Files to upload"
        onChange={take}
      />
      <input
        ref={camera}
        type="file"
        hidden
        accept="image/*,video/*"
        capture="environment"
        aria-label="Picture or video from the camera"
        onChange={take}
      />
    </>
  )
}

function Filters({
  q,
  kind,
  onChange,
}: {
  q: string
  kind: string
  onChange: (patch: Record<string, string | undefined>) => void
}) {
  const [text, setText] = useSearchText(q, onChange)
  return (
    <search className={styles.filters}>
      <Field
        label="Search"
        type="search"
        placeholder="How its name begins"
        value={text}
        onChange={e => setText(e.target.value)}
      />
      <Select label="Kind" value={kind} onChange={e => onChange({ kind: e.target.value })}>
        <option value="">All</option>
        <option value="image">Pictures, GIFs</option>
        <option value="video">Videos</option>
        <option value="document">Documents</option>
      </Select>
    </search>
  )
}

/** What is being uploaded here. What is done leaves the list when it has appeared in the library. */
function Uploads() {
  const { team } = useSession()
  const uploads = useUploads().filter(u => u.teamId === team.id && u.owner === null)
  const done = uploads
    .filter(u => u.state === 'done')
    .map(u => u.key)
    .join(' ')
  useEffect(() => {
    if (!done) return
    queryClient.invalidateQueries({ queryKey: key('assets', team.id) }).then(() => {
      for (const k of done.split(' ')) removeUpload(k)
    })
  }, [done, team.id])
  if (uploads.length === 0) return null
  return (
    <section aria-label="Uploads" className={styles.uploads}>
      {uploads.map(u => (
        <UploadProgress key={u.key} upload={u} />
      ))}
    </section>
  )
}

function Nothing({ searched, mayManage }: { searched: boolean; mayManage: boolean }) {
  if (searched)
    return (
      <EmptyState icon="search" title="Nothing found">
        No file of that kind has a name that begins so here.
      </EmptyState>
    )
  return (
    <EmptyState icon="media" title="Nothing here yet">
      {mayManage ? 'Drop pictures and videos here, paste them, or press Upload.' : 'Nobody has uploaded anything yet.'}
    </EmptyState>
  )
}

function AssetCard({
  asset: a,
  chosen,
  onChoose,
  onOpen,
}: {
  asset: Asset
  chosen: boolean
  onChoose?: (on: boolean) => void
  onOpen: () => void
}) {
  const refused = a.compatibility.filter(c => !c.ok).length
  const kind = kindOf(a)
  return (
    <li className={styles.card} data-chosen={chosen || undefined}>
      <button type="button" className={styles.open} onClick={onOpen}>
        <Thumbnail src={a.thumbnailUrl} kind={kind} fill />
        <span className={styles.name}>{a.fileName}</span>
        <span className={styles.meta}>
          {a.status === 'processing' && 'being read…'}
          {a.status === 'failed' && <span className={styles.bad}>cannot be used</span>}
          {a.status === 'ready' && (
            <>
              {mediaKinds[kind].word} · {a.width && a.height ? `${a.width}×${a.height}` : formatBytes(a.byteSize)}
              {a.durationSeconds != null && ` · ${formatLength(a.durationSeconds)}`}
              {refused > 0 && (
                <span
                  className={styles.takes}
                  title={`${refused} of ${a.compatibility.length} networks do not take it`}
                >
                  {' '}
                  · <Icon name="attention" size={12} /> {a.compatibility.length - refused} of {a.compatibility.length}
                </span>
              )}
            </>
          )}
        </span>
      </button>
      {onChoose && (
        <input
          type="checkbox"
          className={styles.check}
          aria-label={`Choose ${a.fileName}`}
          checked={chosen}
          onChange={e => onChoose(e.target.checked)}
        />
      )}
    </li>
  )
}

function BulkBar({ picked, onDone }: { picked: Asset[]; onDone: () => void }) {
  const { team } = useSession()
  const n = picked.length === 1 ? '1 file' : `${picked.length} files`
  const run = async (work: (a: Asset) => Promise<unknown>, done: string) => {
    const { succeeded, failures } = await inTurn(picked, work)
    const [first] = failures
    toast(first ? `${succeeded} ${done}, ${failures.length} not: ${explain(first.error)}` : `${succeeded} ${done}`)
    await queryClient.invalidateQueries({ queryKey: key('assets', team.id) })
    onDone()
  }
  const move = () =>
    showDialog(close => (
      <MoveDialog count={n} onClose={close} onMove={to => run(a => moveAsset(team.id, a.id, to), 'moved')} />
    ))
  const remove = () =>
    askFirst({
      title: `Delete ${n}?`,
      text: 'Files that a waiting post needs are kept. The others leave the library; this cannot be taken back here.',
      action: `Delete ${n}`,
      run: () => run(a => deleteAsset(team.id, a.id), 'deleted'),
    })
  return (
    <div className={styles.bulk} role="toolbar" aria-label="Chosen files">
      <strong>{n} chosen</strong>
      <Button size="small" icon="folder" onClick={move}>
        Move
      </Button>
      <Button size="small" kind="danger" icon="trash" onClick={remove}>
        Delete
      </Button>
      <Button size="small" kind="quiet" onClick={onDone}>
        Clear
      </Button>
    </div>
  )
}

/** Loads the next page when the end comes near; the button is for those who cannot scroll. */
function More({ list }: { list: ReturnType<typeof useAssets> }) {
  const ref = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  useEffect(() => {
    // A page that was refused would be refused again, without end.
    if (!ref.current || !hasNextPage || isFetchingNextPage || isFetchNextPageError) return
    // On a busy machine several changes come in one call: the last one counts.
    const observer = new IntersectionObserver(changes => changes.at(-1)?.isIntersecting && fetchNextPage(), {
      rootMargin: '600px',
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  if (!hasNextPage) return null
  if (isFetchNextPageError) {
    return <ErrorState title="The rest could not be loaded" error={list.error} retry={() => fetchNextPage()} />
  }
  return (
    <div ref={ref}>
      <Button busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
        More
      </Button>
    </div>
  )
}
