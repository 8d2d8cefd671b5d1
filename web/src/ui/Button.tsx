import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import styles from './Button.module.css'
import { Icon, type IconName } from './Icon'

type Look = {
  /** primary: the one thing to do here. plain: everything else. quiet: within lists and toolbars. danger: asks before. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  size?: 'normal' | 'small'
  icon?: IconName
}

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Look & {
    /** The work goes on: the button cannot be pressed again and says so. */
    busy?: boolean
    ref?: Ref<HTMLButtonElement>
  }

/** The class of a button, for links that look like one. */
export function buttonClass({ kind = 'plain', size = 'normal' }: Look = {}): string {
  return `${styles.button} ${styles[kind]} ${styles[size]}`
}

/** A button that is busy is no disabled one, which would lose the focus: what it was pressed with goes on from there. */
export function Button({ kind, size, icon, busy, children, className, disabled, type, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type={type ?? 'button'}
      className={`${buttonClass({ kind, size })} ${className ?? ''}`}
      disabled={disabled && !busy}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      // A press that is prevented submits no form either, also when it is the Enter of a field.
      onClick={busy ? e => e.preventDefault() : onClick}
      {...rest}
    >
      {icon && <Icon name={icon} size={size === 'small' ? 16 : 18} />}
      {children && <span>{children}</span>}
    </button>
  )
}

/** A button that is only a drawing; label is read aloud and shown as its tip. */
export function IconButton({
  icon,
  label,
  ...rest
}: { icon: IconName; label: string } & Omit<ButtonProps, 'icon' | 'children'>) {
  return <Button kind="quiet" icon={icon} aria-label={label} title={label} {...rest} />
}

/** Buttons beside each other, wrapping where there is no room. */
export function ButtonRow({ children, end }: { children: ReactNode; end?: boolean }) {
  return <div className={`${styles.row} ${end ? styles.end : ''}`}>{children}</div>
}
