import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { chooseTheme, getStoredTheme } from '../lib/theme.ts'
import { link, linkBack, pages, type Page } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { Choice } from './Field.tsx'
import { Menu } from './Menu.tsx'
import { Facts } from './small.tsx'

interface Props {
  current: string | undefined
  /** The content of a page's link; by default its title, and the link leaves the API reference */
  label?: (page: Page) => ComponentChildren
}

/** The links at the top of every page. ui/guide/index.html repeats them because the guide doesn't use Preact. */
export function Site({ current, label }: Props) {
  const isCurrent = (name: string) => (name === current ? 'page' : undefined)
  const documents = (
    <>
      <a href="/docs" aria-current={isCurrent('docs')}>
        API reference
      </a>
      <a href="/docs/guide">Guide</a>
    </>
  )
  return (
    <div class="site">
      <a class="brand" href="/" aria-label="proxysim">
        <img src="/favicon.svg" alt="" width="20" height="20" /> <b>proxysim</b>
      </a>
      <nav class="pages" aria-label="Pages">
        {(Object.keys(pages) as Page[]).map((name) => (
          <a key={name} href={label ? linkBack(name) : `/${link(name)}`} aria-current={isCurrent(name)}>
            {label?.(name) ?? pages[name]}
          </a>
        ))}
        <span class="documents">{documents}</span>
      </nav>
      <Menu
        name="settings"
        title="Settings and keyboard shortcuts"
        isButtonTitled
        class="small quiet"
        label="⋯"
        width={360}
      >
        <p class="actions">{documents}</p>
        <ThemeChoice />
        <section aria-labelledby="keys">
          <h2 id="keys">Keyboard shortcuts</h2>
          <Facts rows={keys} />
        </section>
        <Version />
      </Menu>
    </div>
  )
}

const keys = [
  ['/', 'Search this page'],
  ['↑ ↓', 'Move through the list'],
  ['Enter', 'Open the selected row; save a field'],
  ['Escape', 'Close the open panel; discard your edits'],
  ['?', 'Show keyboard shortcuts'],
] as const

const themes = [
  { value: 'system', text: 'System' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
]

/** Light, dark or the system's theme. The browser stores the choice. */
function ThemeChoice() {
  const [theme, setTheme] = useState(getStoredTheme() ?? 'system')
  const choose = (to: string) => {
    chooseTheme(to)
    setTheme(to)
  }
  return <Choice label="Theme" value={theme} options={themes} onChange={choose} />
}

function Version() {
  const version = useApp((state) => state.version)
  return version === '' ? null : <small>proxysim {version}</small>
}
