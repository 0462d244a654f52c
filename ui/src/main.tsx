import { render } from 'preact'
import { App } from './App.tsx'
import { follow } from './state/live.ts'
import { showTheme } from './state/preference.ts'

showTheme()
render(<App />, document.querySelector('#app') as HTMLElement)
void follow()
