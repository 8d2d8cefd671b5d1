import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, ask } from '../../api/client'
import { key, queryClient } from '../../api/query'
import { useSession } from '../../session'
import { Button, ButtonRow, Confirm, Dialog, Field, Icon, Menu, Select, toastError } from '../../ui'
import { type Folder, useFolders } from './library'
import styles from './media.module.css'
import { tree } from './tree'

type Open = { kind: 'new'; parentId: string | null } | { kind: 'rename' | 'delete'; folder: Folder } | null

export function Folders({
  folders,
  current,
  mayManage,
}: {
  folders: Folder[]
  current: string | undefined
  mayManage: boolean
}) {
  const [open, setOpen] = useState<Open>(null)
  const here = folders.find(f => f.id === current)
  return (
    <nav aria-label="Folders" className={styles.folders}>
      <ul>
        <li>
          <Link to="/media" className={styles.folder} aria-current={current === undefined ? 'page' : undefined}>
            <Icon name="media" size={16} /> All media
          </Link>
        </li>
        {tree(folders).map(({ folder: f, depth }) => (
          <li key={f.id} style={{ paddingInlineStart: `${depth * 0.9}rem` }}>
            <Link
              to="/media/$folderId"
              params={{ folderId: f.id }}
              className={styles.folder}
              aria-current={current === f.id ? 'page' : undefined}
            >
              <Icon name="folder" size={16} /> <span>{f.name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {mayManage && (
        <div className={styles.folderTools}>
          <Button
            size="small"
            kind="quiet"
            icon="plus"
            onClick={() => setOpen({ kind: 'new', parentId: current ?? null })}
          >
            New folder
          </Button>
          {here && (
            <Menu
              label={`Folder ${here.name}`}
              trigger={<Icon name="more" size={16} />}
              size="small"
              items={[
                { label: 'Rename', icon: 'compose', onSelect: () => setOpen({ kind: 'rename', folder: here }) },
                {
                  label: 'Delete',
                  icon: 'trash',
                  danger: true,
                  onSelect: () => setOpen({ kind: 'delete', folder: here }),
                },
              ]}
            />
          )}
        </div>
      )}
      {open?.kind === 'delete' && <DeleteFolder folder={open.folder} onClose={() => setOpen(null)} />}
      {open && open.kind !== 'delete' && <NameDialog open={open} onClose={() => setOpen(null)} />}
    </nav>
  )
}

function NameDialog({ open, onClose }: { open: Exclude<Open, null>; onClose: () => void }) {
  const { team } = useSession()
  const folder = open.kind === 'rename' ? open.folder : null
  const [name, setName] = useState(folder?.name ?? '')
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      if (folder) {
        const path = { teamId: team.id, folderId: folder.id }
        await ask(api.PATCH('/v1/teams/{teamId}/folders/{folderId}', { params: { path }, body: { name } }))
      } else {
        const parentId = open.kind === 'new' ? open.parentId : null
        await ask(
          api.POST('/v1/teams/{teamId}/folders', { params: { path: { teamId: team.id } }, body: { name, parentId } }),
        )
      }
      await queryClient.invalidateQueries({ queryKey: key('folders', team.id) })
      onClose()
    } catch (e) {
      toastError('The folder was not saved', e)
      setBusy(false)
    }
  }
  return (
    <Dialog title={folder ? 'Rename folder' : 'New folder'} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={e => {
          e.preventDefault()
          save()
        }}
      >
        <Field label="Name" value={name} onChange={e => setName(e.target.value)} required />
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy} disabled={!name.trim()}>
            {folder ? 'Rename' : 'Make folder'}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}

function DeleteFolder({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const { team } = useSession()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      await ask(
        api.DELETE('/v1/teams/{teamId}/folders/{folderId}', {
          params: { path: { teamId: team.id, folderId: folder.id } },
        }),
      )
      await queryClient.invalidateQueries({ queryKey: key('folders', team.id) })
      queryClient.invalidateQueries({ queryKey: key('assets', team.id) })
      onClose()
      navigate({ to: '/media' })
    } catch (e) {
      toastError('The folder was not deleted', e)
      setBusy(false)
    }
  }
  return (
    <Confirm
      title={`Delete the folder ${folder.name}?`}
      action="Delete the folder"
      busy={busy}
      onConfirm={run}
      onClose={onClose}
    >
      <p>Its files stay in the library.</p>
    </Confirm>
  )
}

export function MoveDialog({
  count,
  onMove,
  onClose,
}: {
  count: string
  onMove: (folderId: string | null) => Promise<unknown>
  onClose: () => void
}) {
  const { team } = useSession()
  const folders = useFolders(team.id)
  const [to, setTo] = useState('')
  const [busy, setBusy] = useState(false)
  const move = async () => {
    setBusy(true)
    await onMove(to || null)
    onClose()
  }
  return (
    <Dialog
      title={`Move ${count}`}
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} onClick={move}>
            Move
          </Button>
        </ButtonRow>
      }
    >
      <Select label="To" value={to} onChange={e => setTo(e.target.value)}>
        <option value="">No folder</option>
        {tree(folders.data ?? []).map(({ folder, depth }) => (
          <option key={folder.id} value={folder.id}>
            {'\u2003'.repeat(depth)}
            {folder.name}
          </option>
        ))}
      </Select>
    </Dialog>
  )
}
