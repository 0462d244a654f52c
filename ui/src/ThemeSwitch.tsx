import { preferences, usePreference, type Theme } from './state/preference.ts'

const names: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' }

/** Light, dark, or as the system has it; this browser remembers the choice. */
export function ThemeSwitch() {
  const [theme, setTheme] = usePreference('theme')
  return (
    <label class="theme">
      <span class="muted">Theme</span>{' '}
      <select class="small" value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {preferences.theme.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </label>
  )
}
