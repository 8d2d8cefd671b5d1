/** Whether a key belongs to a field that is being typed in, or to an open dialog: single-letter shortcuts stay away. */
export function isTyping(e: KeyboardEvent): boolean {
  const target = e.target as HTMLElement | null
  if (!target?.closest) return false
  return target.isContentEditable || target.closest('input, textarea, select, dialog, [role=menu]') !== null
}
