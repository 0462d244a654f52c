import { render } from 'preact'
import { App } from './App.tsx'
import { showTheme, getStoredTheme } from './lib/theme.ts'
import { followEvents } from './state/live.ts'

showTheme(getStoredTheme())
render(<App />, document.querySelector('#app') as HTMLElement)
void followEvents()
