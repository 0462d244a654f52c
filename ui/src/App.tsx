import { useEffect, useRef } from 'preact/hooks'
import { Bar } from './bar/Bar.tsx'
import { Data } from './data/Data.tsx'
import { Footer } from './Footer.tsx'
import { openMenu } from './parts/Menu.tsx'
import { Skeleton } from './parts/Skeleton.tsx'
import { Quality } from './quality/Quality.tsx'
import { Requests } from './requests/Requests.tsx'
import { pages, useRoute } from './state/route.ts'
import { useApp } from './state/store.ts'
import { TokenForm } from './TokenForm.tsx'

export function App() {
  const { page, subpath, query } = useRoute()
  const needsToken = useApp((state) => state.needsToken)
  const isLoaded = useApp((state) => state.isLoaded)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = `${pages[page]} · Proxy Reselling Simulator`
  }, [page])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).matches('input, textarea, select')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '?') openMenu('keys')
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
        {isLoaded && page === 'quality' && <Quality section={subpath} />}
      </main>
      <Footer />
    </>
  )
}
