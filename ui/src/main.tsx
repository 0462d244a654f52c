import { render } from 'preact'
import { App } from './App.tsx'
import { follow } from './state/live.ts'
import './styles/index.css'

render(<App />, document.querySelector('#app') as HTMLElement)
void follow()
