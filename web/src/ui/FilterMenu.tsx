import { type ReactNode, useId, useRef, useState } from 'react'
import { buttonClass } from './Button'
import styles from './FilterMenu.module.css'
import { Icon } from './Icon'
import { hasWords, many } from './many'
import { placeBelow } from './place'

/** text is what the option is found by, where there are many. */
export type FilterOption = { value: string; label: ReactNode; hint?: ReactNode; text?: string }

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
  const [search, setSearch] = useState('')
  const long = options.length > many && options.every(o => o.text)
  const shown = long ? options.filter(o => hasWords(o.text ?? '', search.trim())) : options
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
        {long && (
          <input
            type="search"
            className={styles.search}
            aria-label={`Find among ${options.length}`}
            placeholder={`Find among ${options.length}`}
            value={search}
            onChange={e => setSearch(e.target.value)}
          />
        )}
        {long && shown.length === 0 && <p className={styles.none}>Nothing has this name.</p>}
        {shown.map(o => (
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
