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
}
