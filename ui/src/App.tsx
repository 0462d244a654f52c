import { useEffect, useRef } from 'preact/hooks'
import { Bar } from './bar/Bar.tsx'
import { Data } from './data/Data.tsx'
import { Footer } from './Footer.tsx'
import { Guarded } from './parts/Guarded.tsx'
import { Facts } from './parts/small.tsx'
import { Quality } from './quality/Quality.tsx'
import { Requests } from './requests/Requests.tsx'
import { reconnect } from './state/live.ts'
import { pages, useRoute, type Route } from './state/route.ts'
import { useApp } from './state/store.ts'
import { TokenForm } from './TokenForm.tsx'

export function App() {
  const route = useRoute()
  const { page } = route
  const needsToken = useApp((state) => state.needsToken)
  const main = useRef<HTMLElement>(null)
  const help = useRef<HTMLDialogElement>(null)
  const showHelp = () => help.current?.showModal()
  useEffect(() => {
    document.title = `${pages[page]} · Proxy Reselling Simulator`
  }, [page])
  useEffect(() => {
    const look = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).matches('input, textarea, select')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '?') showHelp()
      else if (event.key === '/') main.current?.querySelector<HTMLElement>('input[type="search"]')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', look)
    return () => removeEventListener('keydown', look)
  }, [])
  const skip = (
    <a
      class="skip"
      href={location.hash || '#/'}
      onClick={(event) => {
        event.preventDefault()
        main.current?.focus()
      }}
    >
      Skip to the content
    </a>
  )
  return (
    <>
      <Bar page={page} skip={skip} />
      <main ref={main} tabIndex={-1} class={`page-${page}`}>
        {needsToken ? (
          <TokenForm onOpen={reconnect} />
        ) : (
          <Guarded key={page}>
            <Page {...route} />
          </Guarded>
        )}
      </main>
      <Footer onHelp={showHelp} />
      <dialog ref={help} class="help" aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <Facts rows={keys} />
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  )
}

const keys = [
  ['/', 'Search this page'],
  ['↑ ↓', 'Move through the list'],
  ['Enter', 'Open what is selected; save a field'],
  ['Escape', 'Close what is open; take back what was typed'],
  ['?', 'Show these keys'],
] as const

function Page({ page, rest, query }: Route) {
  if (page === 'data') return <Data part={rest} />
  if (page === 'quality') return <Quality part={rest} />
  return <Requests open={rest} query={query} />
}
