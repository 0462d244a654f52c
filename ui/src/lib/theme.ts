const key = 'proxysim-theme'

/** The theme that was chosen in this browser, for all pages; null: as the system has it. */
export function storedTheme(): string | null {
  return localStorage.getItem(key)
}

export function chooseTheme(theme: string): void {
  localStorage.setItem(key, theme)
  showTheme(theme)
}

/** Gives the page the colours of a theme; the stylesheet does the rest. */
export function showTheme(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
  else delete document.documentElement.dataset['theme']
}
