export type Theme = 'system' | 'light' | 'dark'

const name = 'crier-theme'

export function getTheme(): Theme {
  const kept = localStorage.getItem(name)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Colours are light-dark() pairs, so that the colour scheme alone decides. */
export function applyTheme(theme: Theme = getTheme()) {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme
}

export function setTheme(theme: Theme) {
  if (theme === 'system') localStorage.removeItem(name)
  else localStorage.setItem(name, theme)
  applyTheme(theme)
  for (const l of listeners) l()
}

const listeners = new Set<() => void>()

/** Calls listener when the person chooses other colours, or the system does. */
export function subscribeTheme(listener: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  listeners.add(listener)
  dark.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    dark.removeEventListener('change', listener)
  }
}
