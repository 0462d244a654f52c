/** What this browser keeps; null where it keeps nothing. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** The theme that was chosen in this browser, for all pages; null: as the system has it. */
export function storedTheme(): string | null {
  return stored('proxysim-theme')
}

/** Gives the page the colours of a theme; the stylesheet does the rest. */
export function showTheme(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
  else delete document.documentElement.dataset['theme']
}
