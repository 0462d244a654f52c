import { chooseTheme, storedTheme } from './lib/theme.ts'
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
  ['Escape', 'Close the open panel; discard what you typed'],
  ['?', 'Show these keys'],
] as const

/** The last result, with Undo, and this page's settings. It is a row of its own, so that it covers nothing. */
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
      <nav aria-label="More">
        <Menu name="keys" title="Keys" class="small quiet" label="Keys" width={400}>
          <Facts rows={keys} />
        </Menu>
        <ThemeChoice />
        {version && <span class="version">{version}</span>}
      </nav>
    </footer>
  )
}

/** Light, dark, or as the system has it; this browser remembers the choice. */
function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme() ?? 'system')
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
