import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask } from '../../api/client'
import { key, queryClient } from '../../api/query'
import { useSession } from '../../session'
import {
  Badge,
  Button,
  ButtonRow,
  Confirm,
  Dialog,
  Field,
  Icon,
  Loaded,
  mediaKinds,
  NetworkGlyph,
  networkNames,
  Select,
  Time,
  toast,
  toastError,
} from '../../ui'
import { changesOf, useEdits } from '../../ui/useEdits'
import { postName } from '../post'
import {
  type Asset,
  contentUrl,
  deleteAsset,
  type Folder,
  formatBytes,
  formatLength,
  kindOf,
  updateAsset,
  useAsset,
} from './library'
import styles from './media.module.css'
import { tree } from './tree'

/** One file: what it is, which networks take it and why not, and where it is used. */
export function AssetDetail({
  assetId,
  mayManage,
  folders,
  onClose,
}: {
  assetId: string
  mayManage: boolean
  folders: Folder[]
  onClose: () => void
}) {
  const { team } = useSession()
  const asset = useAsset(team.id, assetId)
  return (
    <Dialog wide title={asset.data?.fileName ?? 'File'} onClose={onClose}>
      <Loaded query={asset}>
        {a => <Detail asset={a} mayManage={mayManage} folders={folders} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

function Detail({
  asset: a,
  mayManage,
  folders,
  onClose,
}: {
  asset: Asset
  mayManage: boolean
  folders: Folder[]
  onClose: () => void
}) {
  const { team } = useSession()
  const url = contentUrl(team.id, a.id)
  return (
    <>
      <div className={styles.stage}>
        {a.kind === 'image' && <img src={url} alt={a.altText ?? ''} />}
        {a.kind === 'video' && (
          // biome-ignore lint/a11y/useMediaCaption: captions are not part of what was uploaded
          <video src={url} controls preload="metadata" poster={a.thumbnailUrl ?? undefined} />
        )}
        {a.kind === 'document' && <Icon name="draft" size={48} />}
      </div>
      <p className={styles.meta}>
        {mediaKinds[kindOf(a)].word} · {formatBytes(a.byteSize)}
        {a.width && a.height && ` · ${a.width}×${a.height}`}
        {a.durationSeconds != null && ` · ${formatLength(a.durationSeconds)}`} · {a.mimeType} ·{' '}
        <Time at={a.createdAt} style="short" /> ·{' '}
        <a href={url} download={a.fileName}>
          Download
        </a>
      </p>
      {a.failureMessage && <p className={styles.bad}>{a.failureMessage}</p>}
      {mayManage && <EditForm asset={a} folders={folders} onClose={onClose} />}
      <Networks asset={a} />
      <UsedIn assetId={a.id} />
    </>
  )
}

function EditForm({ asset: a, folders, onClose }: { asset: Asset; folders: Folder[]; onClose: () => void }) {
  const { team } = useSession()
  const now = { fileName: a.fileName, altText: a.altText ?? '', folderId: a.folderId ?? '' }
  const { form, edit, saved } = useEdits(now)
  const [busy, setBusy] = useState(false)
  const [asking, setAsking] = useState(false)
  const changes = changesOf(now, form)
  const act = async (work: () => Promise<unknown>, done: string, failed: string) => {
    setBusy(true)
    try {
      await work()
      toast(done)
      queryClient.invalidateQueries({ queryKey: key('assets', team.id) })
      return true
    } catch (e) {
      toastError(failed, e)
      return false
    } finally {
      setBusy(false)
    }
  }
  const save = async () => {
    const { fileName, altText, folderId } = changes
    const body = {
      ...(fileName !== undefined && { fileName }),
      ...(altText !== undefined && { altText: altText || null }),
      ...(folderId !== undefined && { folderId: folderId || null }),
    }
    if (!(await act(() => updateAsset(team.id, a.id, body), 'Saved', 'It was not saved'))) return
    await queryClient.invalidateQueries({ queryKey: key('assets', team.id) })
    saved(form)
  }
  const remove = async () => {
    if (await act(() => deleteAsset(team.id, a.id), 'Deleted', 'It was not deleted')) onClose()
    else setAsking(false)
  }
  return (
    <form
      className={styles.form}
      onSubmit={e => {
        e.preventDefault()
        save()
      }}
    >
      <Field
        label="Description"
        hint="For people who cannot see it. Posts take it over when the file is attached."
        dir="auto"
        value={form.altText}
        onChange={e => edit({ altText: e.target.value })}
      />
      <div className={styles.pair}>
        <Field label="File name" value={form.fileName} onChange={e => edit({ fileName: e.target.value })} />
        <Select label="Folder" value={form.folderId} onChange={e => edit({ folderId: e.target.value })}>
          <option value="">No folder</option>
          {tree(folders).map(({ folder, depth }) => (
            <option key={folder.id} value={folder.id}>
              {'\u2003'.repeat(depth)}
              {folder.name}
            </option>
          ))}
        </Select>
      </div>
      <ButtonRow>
        <Button
          type="submit"
          kind="primary"
          busy={busy}
          disabled={Object.keys(changes).length === 0 || !form.fileName.trim()}
        >
          Save
        </Button>
        <Button kind="danger" icon="trash" disabled={busy} onClick={() => setAsking(true)}>
          Delete
        </Button>
      </ButtonRow>
      {asking && (
        <Confirm
          title="Delete this file?"
          action="Delete"
          busy={busy}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>It leaves the library. If a waiting post needs it, it is kept and you are told.</p>
        </Confirm>
      )}
    </form>
  )
}

function Networks({ asset: a }: { asset: Asset }) {
  if (a.status !== 'ready') return null
  return (
    <section aria-label="Networks" className={styles.form}>
      <h3>Which networks take it</h3>
      <ul className={styles.networks}>
        {a.compatibility.map(c => (
          <li key={c.provider}>
            <NetworkGlyph provider={c.provider} size={16} />
            <span>
              <strong>{networkNames[c.provider]}</strong>
              {c.issues.map(i => (
                <span key={i} className={styles.issue}>
                  {i}
                </span>
              ))}
            </span>
            <Badge icon={c.ok ? 'check' : 'cross'} tone={c.ok ? 'good' : 'bad'}>
              {c.ok ? 'Takes it' : 'Does not'}
            </Badge>
          </li>
        ))}
      </ul>
    </section>
  )
}

function UsedIn({ assetId }: { assetId: string }) {
  const { team } = useSession()
  const posts = useQuery({
    queryKey: key('posts', team.id, 'with-asset', assetId),
    queryFn: ({ signal }) =>
      ask(
        api.GET('/v1/teams/{teamId}/posts', {
          params: { path: { teamId: team.id }, query: { assetId, limit: '20' } },
          signal,
        }),
      ),
  })
  return (
    <section aria-label="Used in" className={styles.form}>
      <h3>Where it is used</h3>
      <Loaded query={posts}>
        {page =>
          page.data.length === 0 ? (
            <p className={styles.meta}>In no post.</p>
          ) : (
            <ul className={styles.used}>
              {page.data.map(p => (
                <li key={p.id}>
                  <Link to="/posts/$postId" params={{ postId: p.id }} dir="auto">
                    {postName(p)}
                  </Link>
                </li>
              ))}
              {page.total > page.data.length && (
                <li className={styles.meta}>and {page.total - page.data.length} more</li>
              )}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
