import type { ComponentChildren } from 'preact'
import { link, linkBack, pages, type Page } from '../state/route.ts'

/** The links at the top of every page. ui/guide/index.html repeats them because the guide doesn't use Preact. */
export function Site({ current, count }: { current: string; count?: (page: Page) => ComponentChildren }) {
  const isCurrent = (name: string) => (name === current ? 'page' : undefined)
  return (
    <div class="site">
      <a class="brand" href="/" aria-label="proxysim">
        <img src="/favicon.svg" alt="" width="20" height="20" /> <b>proxysim</b>
      </a>
      <nav class="pages" aria-label="Pages">
        {(Object.keys(pages) as Page[]).map((name) => (
          <a key={name} href={count ? linkBack(name) : `/${link(name)}`} aria-current={isCurrent(name)}>
            {pages[name]} {count?.(name)}
          </a>
        ))}
        <a href="/docs" aria-current={isCurrent('docs')}>
          API<span class="wide-only"> reference</span>
        </a>
        <a href="/docs/guide">Guide</a>
      </nav>
    </div>
  )
}
