import { useEffect, useRef } from 'preact/hooks'
import { Bar } from './bar/Bar.tsx'
import { Data } from './data/Data.tsx'
import { Footer } from './Footer.tsx'
import { Guarded } from './parts/Guarded.tsx'
import { Facts } from './parts/small.tsx'
import { Quality } from './quality/Quality.tsx'
import { Requests } from './requests/Requests.tsx'
import { reconnect } from './state/live.ts'
import { pages, useRoute } from './state/route.ts'
import { useApp } from './state/store.ts'
import { TokenForm } from './TokenForm.tsx'

export function App() {
  const { page, rest, query } = useRoute()
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
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Bar page={page} />
      <main ref={main} tabIndex={-1} class={`page-${page}`}>
        {needsToken ? (
          <TokenForm onOpen={reconnect} />
        ) : (
          <Guarded key={page}>
            {page === 'requests' && <Requests open={rest} query={query} />}
            {page === 'data' && <Data part={rest} />}
            {page === 'quality' && <Quality part={rest} />}
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
