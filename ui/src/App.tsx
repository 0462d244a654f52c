import { useLayoutEffect, useRef } from 'preact/hooks'
import { Bar } from './bar/Bar.tsx'
import { lazy } from './parts/lazy.tsx'
import { closeMenu, openMenu } from './parts/Menu.tsx'
import { Skeleton } from './parts/Skeleton.tsx'
import { Problems } from './problems/Problems.tsx'
import { Requests } from './requests/Requests.tsx'
import { pages, useRoute } from './state/route.ts'
import { setState, useApp } from './state/store.ts'
import { ToastLine } from './ToastLine.tsx'
import { TokenForm } from './TokenForm.tsx'

const Data = lazy(async () => (await import('./data/Data.tsx')).Data)
const Reports = lazy(async () => (await import('./reports/Reports.tsx')).Reports)

export function App() {
  const { page, subpath, query } = useRoute()
  const needsToken = useApp((state) => state.needsToken)
  const isLoaded = useApp((state) => state.isLoaded)
  const main = useRef<HTMLElement>(null)
  const previous = useRef(page)
  useLayoutEffect(() => {
    document.title = `${pages[page]} · Proxy Reselling Simulator`
    // A toast belongs to the page of its action, and the browser's Back leaves a menu open.
    if (previous.current !== page) {
      setState({ toast: undefined })
      closeMenu()
    }
    previous.current = page
  }, [page])
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).matches('input, textarea, select')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '?') openMenu('settings')
      else if (event.key === '/') main.current?.querySelector<HTMLElement>('input[type="search"]')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Bar page={page} />
      <main ref={main} tabIndex={-1} class={`page-${page}`}>
        {needsToken && <TokenForm onOpen={() => location.reload()} />}
        {!needsToken && !isLoaded && <Skeleton />}
        {isLoaded && page === 'requests' && <Requests open={subpath} query={query} />}
        {isLoaded && page === 'data' && <Data subpath={subpath} />}
        {isLoaded && page === 'problems' && <Problems section={subpath} />}
        {isLoaded && page === 'reports' && <Reports />}
      </main>
      <ToastLine />
    </>
  )
}
