import { type ReactNode, useId, useRef } from 'react'
import { buttonClass } from './Button'
import styles from './FilterMenu.module.css'
import { Icon } from './Icon'
import { placeBelow } from './place'

export type FilterOption = { value: string; label: ReactNode; hint?: ReactNode }

/** A button that opens a list of boxes to tick; nothing ticked means everything. */
export function FilterMenu({
  label,
  options,
  selected,
  onChange,
}: {
  label: string
  options: FilterOption[]
  selected: string[]
  onChange: (selected: string[]) => void
}) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const toggle = (value: string) =>
    onChange(selected.includes(value) ? selected.filter(v => v !== value) : [...selected, value])
  return (
    <>
      <button
        ref={button}
        type="button"
        className={`${buttonClass({ size: 'small' })} ${selected.length ? styles.on : ''}`}
        popoverTarget={id}
        aria-haspopup="dialog"
      >
        {label}
        {selected.length > 0 && <span className={styles.count}>{selected.length}</span>}
        <Icon name="down" size={14} />
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={`${label}: show only`}
        className={styles.list}
        onToggle={e => {
          if (e.newState !== 'open') return
          placeBelow(button.current, list.current, 'start')
          list.current?.querySelector<HTMLElement>('input, button')?.focus()
        }}
      >
        {options.length === 0 && <p className={styles.none}>There is nothing to choose from.</p>}
        {options.map(o => (
          <label key={o.value} className={styles.option}>
            <input type="checkbox" checked={selected.includes(o.value)} onChange={() => toggle(o.value)} />
            <span className={styles.label}>{o.label}</span>
            {o.hint !== undefined && <span className={styles.hint}>{o.hint}</span>}
          </label>
        ))}
        {selected.length > 0 && (
          <button type="button" className={styles.clear} onClick={() => onChange([])}>
            Show all
          </button>
        )}
      </div>
    </>
  )
}
