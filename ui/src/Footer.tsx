import { chooseTheme, getStoredTheme } from './lib/theme.ts'
import { useState } from 'preact/hooks'
import { Button } from './parts/Button.tsx'
import { Menu } from './parts/Menu.tsx'
import { Facts } from './parts/small.tsx'
import { dismiss } from './state/actions.ts'
import { useApp } from './state/store.ts'

const keys = [
  ['/', 'Search this page'],
  ['↑ ↓', 'Move through the list'],
  ['Enter', 'Open the selected row; save a field'],
  ['Escape', 'Close the open panel; discard your edits'],
  ['?', 'Show keyboard shortcuts'],
] as const

/** The latest toast, keyboard shortcuts and the theme. The footer has its own row, so toasts cover nothing. */
export function Footer() {
  const toast = useApp((state) => state.toast)
  const version = useApp((state) => state.version)
  return (
    <footer class={`foot ${toast ? (toast.kind === 'done' ? 'tone-good' : 'tone-bad') : ''}`}>
      <div class="toast" role="status">
        {toast && (
          <>
            <div>
              <b>{toast.text}</b>
              {toast.details.length > 0 && (
                <ul>
                  {toast.details.slice(0, 6).map((detail) => (
                    <li key={detail}>{detail}</li>
                  ))}
                </ul>
              )}
            </div>
            {toast.undo && (
              <Button class="small" action={toast.undo}>
                Undo
              </Button>
            )}
            <button type="button" class="small quiet" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
              ✕
            </button>
          </>
        )}
      </div>
      <nav aria-label="Settings">
        <Menu name="keys" title="Keyboard shortcuts" class="small quiet" label="Shortcuts" width={400}>
          <Facts rows={keys} />
        </Menu>
        <ThemeChoice />
        {version && <span class="version">{version}</span>}
      </nav>
    </footer>
  )
}

/** Light, dark or the system's theme. The browser stores the choice. */
function ThemeChoice() {
  const [theme, setTheme] = useState(getStoredTheme() ?? 'system')
  return (
    <select
      class="small"
      aria-label="Theme"
      value={theme}
      onChange={({ currentTarget }) => {
        chooseTheme(currentTarget.value)
        setTheme(currentTarget.value)
      }}
    >
      <option value="system">System theme</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  )
}
