import { useEffect, useRef } from 'preact/hooks'
import { Announcer } from './Announcer.tsx'
import { CalibrationPage } from './calibration/CalibrationPage.tsx'
import { Control } from './control/Control.tsx'
import { Coverage } from './coverage/Coverage.tsx'
import { Findings } from './findings/Findings.tsx'
import { Header } from './Header.tsx'
import { Notices } from './Notices.tsx'
import { Guarded } from './parts/Guarded.tsx'
import { Requests } from './requests/Requests.tsx'
import { Start } from './start/Start.tsx'
import { reconnect } from './state/live.ts'
import { leavePage } from './state/notices.ts'
import { useRoute } from './state/route.ts'
import { useApp } from './state/store.ts'
import { ThemeSwitch } from './ThemeSwitch.tsx'
import { TokenForm } from './TokenForm.tsx'
import { Try } from './try/Try.tsx'
import { World } from './world/World.tsx'

const sections = {
  start: 'Getting started',
  requests: 'Requests',
  try: 'Try',
  world: 'World',
  control: 'Control',
  coverage: 'Coverage',
  findings: 'Findings',
  calibration: 'Calibration',
}
type SectionName = keyof typeof sections

export function App() {
  const { section, rest, query } = useRoute()
  const needsToken = useApp((state) => state.needsToken)
  const version = useApp((state) => state.version)
  const connection = useApp((state) => state.connection)
  const chosen: SectionName = Object.hasOwn(sections, section) ? (section as SectionName) : 'requests'
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    leavePage()
    document.title = `${sections[chosen]} · Proxy Reselling Simulator`
  }, [chosen])
  useEffect(() => {
    // The counts, which come with the connection, widen what stands before it.
    showSideways(document.querySelector('.sections [aria-current]'))
  }, [chosen, connection])
  return (
    <>
      <Header
        skip={
          <a
            class="skip"
            href={`#/${chosen}`}
            onClick={(event) => {
              event.preventDefault()
              main.current?.focus()
            }}
          >
            Skip to the content
          </a>
        }
      />
      <div class="frame">
        <nav class="sections" aria-label="Sections">
          {Object.entries(sections).map(([name, title]) => (
            <a key={name} href={`#/${name}`} aria-current={name === chosen ? 'page' : undefined}>
              {title} <Badge name={name as SectionName} />
            </a>
          ))}
          <span class="sections-rest">
            <a href="/docs/guide">Guide</a>
            <a href="/docs">API docs</a>
            <a href="/docs/admin">Control plane docs</a>
            <ThemeSwitch />
            <span class="muted">{version && `version ${version}`}</span>
          </span>
        </nav>
        <main ref={main} tabIndex={-1} class={`section-${chosen}`}>
          {needsToken ? (
            <TokenForm onOpen={reconnect} />
          ) : (
            <Guarded place={`${chosen}/${rest}`}>
              <Page section={chosen} rest={rest} query={query} />
            </Guarded>
          )}
        </main>
      </div>
      <Notices />
      <Announcer />
    </>
  )
}

/** Scrolls what an element stands in, and not the page with it as `scrollIntoView` does. */
function showSideways(element: Element | null) {
  const around = element?.parentElement
  if (!element || !around) return
  const [inner, outer] = [element.getBoundingClientRect(), around.getBoundingClientRect()]
  around.scrollLeft += Math.max(0, inner.right - outer.right) - Math.max(0, outer.left - inner.left)
}

function Page({ section, rest, query }: { section: SectionName; rest: string; query: string }) {
  switch (section) {
    case 'start':
      return <Start />
    case 'requests':
      return <Requests open={rest} query={query} />
    case 'try':
      return <Try operation={rest} query={query} />
    case 'world':
      return <World part={rest} />
    case 'control':
      return <Control query={query} />
    case 'coverage':
      return <Coverage />
    case 'findings':
      return <Findings />
    case 'calibration':
      return <CalibrationPage />
  }
}

/** A count beside a section's name. */
function Badge({ name }: { name: SectionName }) {
  const text = useApp((state) => {
    if (name === 'requests') return state.entries.length.toLocaleString('en')
    if (name === 'coverage') return state.coverage ? `${Math.floor(state.coverage.percent)}%` : ''
    if (name === 'findings') return state.findings.length ? String(state.findings.length) : ''
    return ''
  })
  return text === '' ? null : <span class="count">{text}</span>
}
