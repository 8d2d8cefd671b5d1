import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import styles from './Field.module.css'

type Around = {
  label: ReactNode
  hint?: ReactNode
  /** What is wrong with the value, as a sentence of the server. */
  problem?: ReactNode
  /** The label is read aloud but not drawn. */
  hideLabel?: boolean
}

type Wired = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

function Frame({ label, hint, problem, hideLabel, children }: Around & { children: (w: Wired) => ReactNode }) {
  const id = useId()
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  )
}

/** A line of text, a number, a date or a time, with its label, hint and problem. */
export function Field({
  label,
  hint,
  problem,
  hideLabel,
  className = '',
  ...input
}: Around & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return (
    <Frame label={label} hint={hint} problem={problem} hideLabel={hideLabel}>
      {wired => <input className={`${styles.input} ${className}`} autoComplete="off" {...input} {...wired} />}
    </Frame>
  )
}

/** Text of several lines. */
export function TextArea({
  label,
  hint,
  problem,
  hideLabel,
  ...input
}: Around & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return (
    <Frame label={label} hint={hint} problem={problem} hideLabel={hideLabel}>
      {wired => <textarea className={styles.input} rows={4} {...input} {...wired} />}
    </Frame>
  )
}

/** One of a few values: the platform's own list. */
export function Select({
  label,
  hint,
  problem,
  hideLabel,
  children,
  ...select
}: Around & SelectHTMLAttributes<HTMLSelectElement> & { ref?: Ref<HTMLSelectElement> }) {
  return (
    <Frame label={label} hint={hint} problem={problem} hideLabel={hideLabel}>
      {wired => (
        <select className={`${styles.input} ${styles.select}`} {...select} {...wired}>
          {children}
        </select>
      )}
    </Frame>
  )
}

/** A yes or no, its label beside it. */
export function Checkbox({
  label,
  hint,
  ...input
}: { label: ReactNode; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <div className={styles.check}>
      <input id={id} type="checkbox" aria-describedby={hint ? `${id}-hint` : undefined} {...input} />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  )
}
