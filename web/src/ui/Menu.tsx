import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { buttonClass } from './Button'
import { Icon, type IconName } from './Icon'
import styles from './Menu.module.css'
import { placeBelow } from './place'

export type MenuItem =
  | {
      label: ReactNode
      icon?: IconName
      danger?: boolean
      disabled?: boolean
      checked?: boolean
      onSelect: () => void
    }
  | 'line'

/** A button that opens a list of things to do: the platform's popover, with the keys of a menu. */
export function Menu({
  label,
  items,
  trigger,
  kind = 'quiet',
  size,
  align = 'end',
  className,
}: {
  /** What the button is called aloud; drawn when there is no trigger. */
  label: string
  items: MenuItem[]
  trigger?: ReactNode
  kind?: 'plain' | 'quiet'
  size?: 'normal' | 'small'
  align?: 'start' | 'end'
  className?: string
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)

  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)') ?? [])]
  const close = () => {
    list.current?.hidePopover()
    button.current?.focus()
  }
  const onKeyDown = (e: KeyboardEvent) => {
    const all = entries()
    const here = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: here + 1, ArrowUp: here < 0 ? -1 : here - 1, Home: 0, End: -1 }[e.key]
    if (e.key === 'Tab') list.current?.hidePopover()
    if (to === undefined) return
    e.preventDefault()
    all.at(to % all.length)?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className={`${buttonClass({ kind, size })} ${className ?? ''}`}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={trigger ? label : undefined}
        title={trigger ? label : undefined}
      >
        {trigger ?? label}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        className={styles.menu}
        onKeyDown={onKeyDown}
        onToggle={e => {
          if (e.newState !== 'open') return
          placeBelow(button.current, list.current, align)
          entries()[0]?.focus()
        }}
      >
        {items.map((item, n) =>
          item === 'line' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name, and items keep their places
            <hr key={n} className={styles.line} />
          ) : (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: items keep their places while the menu is open
              key={n}
              type="button"
              role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
              {...(item.checked === undefined ? {} : { 'aria-checked': item.checked })}
              disabled={item.disabled}
              className={`${styles.item} ${item.danger ? styles.danger : ''}`}
              onClick={() => {
                close()
                item.onSelect()
              }}
            >
              <span className={styles.icon}>
                {item.checked ? <Icon name="check" size={16} /> : item.icon && <Icon name={item.icon} size={16} />}
              </span>
              <span>{item.label}</span>
            </button>
          ),
        )}
      </div>
    </>
  )
}
