import { render } from 'preact'
import { App } from './App.tsx'
import { showTheme, storedTheme } from './lib/theme.ts'
import { follow } from './state/live.ts'

showTheme(storedTheme())
render(<App />, document.querySelector('#app') as HTMLElement)
void follow()
