import { browserStorage } from './storage.ts'

const key = 'proxysim-theme'

/** The theme chosen in this browser; null for the system's theme. */
export function getStoredTheme(): string | null {
  return browserStorage.get(key)
}

export function chooseTheme(theme: string): void {
  browserStorage.set(key, theme)
  showTheme(theme)
}

/** Applies a theme to the page. */
export function showTheme(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
  else delete document.documentElement.dataset['theme']
}
