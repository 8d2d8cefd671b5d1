import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useSession } from '../../session'
import { Button, ButtonRow, Dialog, networkNames, toastError } from '../../ui'
import { contentUrl } from '../media/library'
import styles from './compose.module.css'
import { useNetworks } from './networks'
import { boxAt, type Shape, shapes, takenBy } from './shapes'

type Picture = { assetId: string; mimeType?: string }

/** Cuts a picture to a shape. The original stays in the library; the cut one is uploaded beside it. */
export function Crop({
  picture,
  name,
  onCut,
  onClose,
}: {
  picture: Picture
  name: string
  onCut: (file: File) => void
  onClose: () => void
}) {
  const { team } = useSession()
  const networks = useNetworks()
  const image = useRef<HTMLImageElement>(null)
  const [size, setSize] = useState<{ width: number; height: number } | null>(null)
  const [shape, setShape] = useState<Shape>(shapes[0] as Shape)
  const [view, setView] = useState({ zoom: 1, cx: 0.5, cy: 0.5 })
  const [busy, setBusy] = useState(false)
  const box = size && boxAt(size.width, size.height, shape.ratio, view.zoom, view.cx, view.cy)

  const move = (dx: number, dy: number) => {
    if (!size || !box) return
    const limit = (v: number, half: number) => Math.min(Math.max(v, half), 1 - half)
    setView(v => ({
      ...v,
      cx: limit((box.x + box.width / 2) / size.width + dx, box.width / size.width / 2),
      cy: limit((box.y + box.height / 2) / size.height + dy, box.height / size.height / 2),
    }))
  }
  const onKeyDown = (e: KeyboardEvent) => {
    const step = e.shiftKey ? 0.1 : 0.02
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[e.key]
    if (!by) return
    e.preventDefault()
    move(by[0] ?? 0, by[1] ?? 0)
  }
  const onPointerMove = (e: PointerEvent<HTMLElement>) => {
    if (e.buttons !== 1 || !image.current) return
    const { width, height } = image.current.getBoundingClientRect()
    move(e.movementX / width, e.movementY / height)
  }
  const cut = async () => {
    if (!image.current || !box) return
    setBusy(true)
    try {
      onCut(await cutImage(image.current, box, name, picture.mimeType))
    } catch (e) {
      toastError('The picture could not be cut', e)
      setBusy(false)
    }
  }
  const pct = (v: number, of: number) => `${(v / of) * 100}%`
  return (
    <Dialog
      wide
      title="Crop"
      onClose={onClose}
      footer={
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} disabled={!box} onClick={cut}>
            Use this crop
          </Button>
        </ButtonRow>
      }
    >
      <fieldset className={styles.shapes}>
        <legend>Shape</legend>
        {shapes.map(s => {
          const taken = takenBy(s.ratio, networks)
          return (
            <label key={s.name} className={styles.shape}>
              <input type="radio" name="shape" checked={shape === s} onChange={() => setShape(s)} />
              <span>
                {s.name}
                <small>
                  {taken.length === networks.length
                    ? 'every network'
                    : taken.map(n => networkNames[n]).join(', ') || 'no network'}
                </small>
              </span>
            </label>
          )
        })}
      </fieldset>
      <div className={styles.cropStage}>
        <img
          ref={image}
          src={contentUrl(team.id, picture.assetId)}
          alt=""
          draggable={false}
          onLoad={e => setSize({ width: e.currentTarget.naturalWidth, height: e.currentTarget.naturalHeight })}
        />
        {size && box && (
          <div
            role="slider"
            aria-label="Part of the picture that is kept; the arrow keys move it"
            aria-valuenow={Math.round(view.cx * 100)}
            aria-valuetext={`${Math.round(view.cx * 100)}% from the left, ${Math.round(view.cy * 100)}% from the top`}
            tabIndex={0}
            className={styles.cropBox}
            style={{
              left: pct(box.x, size.width),
              top: pct(box.y, size.height),
              width: pct(box.width, size.width),
              height: pct(box.height, size.height),
            }}
            onKeyDown={onKeyDown}
            onPointerDown={e => e.currentTarget.setPointerCapture(e.pointerId)}
            onPointerMove={onPointerMove}
          />
        )}
      </div>
      <label className={styles.zoom}>
        Zoom
        <input
          type="range"
          min={1}
          max={4}
          step={0.05}
          value={view.zoom}
          onChange={e => setView({ ...view, zoom: e.target.valueAsNumber })}
        />
      </label>
    </Dialog>
  )
}

async function cutImage(
  image: HTMLImageElement,
  box: { x: number; y: number; width: number; height: number },
  name: string,
  mimeType: string | undefined,
): Promise<File> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(box.width)
  canvas.height = Math.round(box.height)
  canvas.getContext('2d')?.drawImage(image, box.x, box.y, box.width, box.height, 0, 0, canvas.width, canvas.height)
  const type = mimeType === 'image/png' ? 'image/png' : 'image/jpeg'
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, type, 0.92))
  if (!blob) throw new Error('the browser made no picture of it')
  const stem = name.replace(/\.[^.]+$/, '')
  return new File([blob], `${stem} crop.${type === 'image/png' ? 'png' : 'jpg'}`, { type })
}
