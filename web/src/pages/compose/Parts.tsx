import { type ClipboardEvent, type DragEvent, memo, useState } from 'react'
import { useSession } from '../../session'
import { Button, IconButton } from '../../ui'
import { addUploads } from '../media/uploads'
import { useUploads } from '../media/useUploads'
import { Attachments } from './Attachments'
import styles from './compose.module.css'
import { newPart, type Part, type Place, partsAt, setPartAt, setPartsAt } from './draft'
import { isText } from './paste'
import { type DraftStore, useDraft } from './store'

type Props = {
  store: DraftStore
  place: Place
  draftName: string
  /** A variant without media of its own shows the post's. */
  showMedia: boolean
  /** Some chosen network publishes threads. */
  canThread: boolean
}

/** The texts of a post: one, or the parts of a thread. */
export const Parts = memo(function Parts({ store, place, draftName, showMedia, canThread }: Props) {
  const count = useDraft(store, d => partsAt(d, place).length)
  return (
    <div className={styles.parts}>
      {Array.from({ length: count }, (_, n) => (
        <PartEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: the part's own key stands inside, with the text area
          key={n}
          {...{ store, place, draftName, showMedia }}
          index={n}
          count={count}
        />
      ))}
      {canThread && (
        <Button
          size="small"
          kind="quiet"
          icon="plus"
          onClick={() => store.set(d => setPartsAt(d, place, parts => [...parts, newPart()]))}
        >
          {count === 1 ? 'Add a part and make it a thread' : 'Add a part'}
        </Button>
      )}
    </div>
  )
})

function PartEditor({
  store,
  place,
  draftName,
  showMedia,
  index,
  count,
}: Omit<Props, 'canThread'> & { index: number; count: number }) {
  const { team } = useSession()
  const partKey = useDraft(store, d => partsAt(d, place)[index]?.key ?? '')
  const attachments = useDraft(store, d => partsAt(d, place)[index]?.attachments)
  const uploads = useUploads().filter(u => u.owner?.draft === draftName && u.owner.part === partKey)
  const [over, setOver] = useState(false)
  const owner = { draft: draftName, part: partKey }
  const change = (to: (p: Part) => Part) => store.set(d => setPartAt(d, place, index, to))
  const take = (files: FileList | undefined) => {
    if (!showMedia || !files?.length) return false
    addUploads(files, { teamId: team.id, folderId: null, owner })
    return true
  }
  const onPaste = (e: ClipboardEvent) => {
    if (!isText(e.clipboardData) && take(e.clipboardData.files)) e.preventDefault()
  }
  const onDrop = (e: DragEvent) => {
    setOver(false)
    if (take(e.dataTransfer.files)) e.preventDefault()
  }
  const text = partsAt(store.get(), place)[index]?.text ?? ''
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is a short cut; the button below does the same
    <div
      className={styles.part}
      data-over={over || undefined}
      onPaste={onPaste}
      onDrop={onDrop}
      onDragOver={e => {
        if (!showMedia || !e.dataTransfer.types.includes('Files')) return
        e.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
    >
      <textarea
        key={`${partKey} ${store.generation}`}
        className={styles.text}
        dir="auto"
        rows={index === 0 ? 5 : 3}
        aria-label={count > 1 ? `Text of part ${index + 1}` : 'Text'}
        placeholder={index === 0 ? 'What do you want to say?' : `Part ${index + 1}`}
        defaultValue={text}
        onInput={e => {
          const value = e.currentTarget.value
          change(p => ({ ...p, text: value }))
        }}
      />
      {showMedia && (
        <Attachments
          attachments={attachments ?? []}
          uploads={uploads}
          owner={owner}
          onChange={to => change(p => ({ ...p, attachments: to(p.attachments) }))}
        />
      )}
      {count > 1 && (
        <div className={styles.partTools}>
          <span className={styles.partNumber}>
            {index + 1} of {count}
          </span>
          <IconButton
            size="small"
            icon="trash"
            label={`Remove part ${index + 1}`}
            onClick={() => store.set(d => setPartsAt(d, place, parts => parts.filter((_, n) => n !== index)))}
          />
        </div>
      )}
    </div>
  )
}
