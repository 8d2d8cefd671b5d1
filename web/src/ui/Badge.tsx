import type { ReactNode } from 'react'
import styles from './Badge.module.css'
import { Icon, type IconName } from './Icon'

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'info'

/** A word with a drawing: never a colour alone. */
export function Badge({
  icon,
  tone = 'plain',
  children,
  title,
}: {
  icon?: IconName
  tone?: Tone
  children: ReactNode
  title?: string
}) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`} title={title}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </span>
  )
}

/** How states look everywhere: those of scheduled posts, posts, accounts, assets and actions. */
export const states: Record<string, { icon: IconName; tone: Tone; word: string }> = {
  scheduled: { icon: 'clock', tone: 'plain', word: 'Scheduled' },
  due: { icon: 'send', tone: 'info', word: 'Going out' },
  publishing: { icon: 'send', tone: 'info', word: 'Publishing' },
  processing: { icon: 'send', tone: 'info', word: 'Processing' },
  published: { icon: 'check', tone: 'good', word: 'Published' },
  partially_published: { icon: 'attention', tone: 'warn', word: 'Partly published' },
  failed: { icon: 'cross', tone: 'bad', word: 'Failed' },
  canceled: { icon: 'stop', tone: 'plain', word: 'Canceled' },
  missed: { icon: 'attention', tone: 'bad', word: 'Missed' },
  unknown: { icon: 'question', tone: 'warn', word: 'Unknown' },
  unscheduled: { icon: 'draft', tone: 'plain', word: 'Not scheduled' },
  recurrence: { icon: 'repeat', tone: 'plain', word: 'Repeats' },
  idea: { icon: 'star', tone: 'plain', word: 'Idea' },
  proposed_render: { icon: 'eye', tone: 'plain', word: 'Proposed' },
  draft: { icon: 'draft', tone: 'plain', word: 'Draft' },
  approved: { icon: 'check', tone: 'good', word: 'Approved' },
  rejected: { icon: 'cross', tone: 'bad', word: 'Rejected' },
  archived: { icon: 'folder', tone: 'plain', word: 'Archived' },
  deleted: { icon: 'trash', tone: 'plain', word: 'Deleted' },
  connected: { icon: 'check', tone: 'good', word: 'Connected' },
  refresh_needed: { icon: 'attention', tone: 'bad', word: 'Reconnect' },
  disabled: { icon: 'stop', tone: 'plain', word: 'Switched off' },
  disconnected: { icon: 'link', tone: 'plain', word: 'Disconnected' },
  ready: { icon: 'check', tone: 'good', word: 'Ready' },
  pending: { icon: 'clock', tone: 'plain', word: 'Waiting' },
  waiting: { icon: 'clock', tone: 'plain', word: 'Waiting' },
  done: { icon: 'check', tone: 'good', word: 'Done' },
}

/** A state as a badge; a state that nobody has heard of is shown by its own name. */
export function Status({ state, title }: { state: string; title?: string }) {
  const known = states[state]
  return (
    <Badge icon={known?.icon} tone={known?.tone} title={title}>
      {known?.word ?? state}
    </Badge>
  )
}
