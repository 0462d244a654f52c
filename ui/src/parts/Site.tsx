import type { ComponentChildren } from 'preact'
import { link, linkBack, pages, type Page } from '../state/route.ts'

/** The name and the links at the top of every page. ui/guide/index.html repeats them, as the guide has no Preact. */
export function Site({ current, count }: { current: string; count?: (page: Page) => ComponentChildren }) {
  const item = (to: string, name: string, title: ComponentChildren) => (
    <a key={name} href={to} aria-current={name === current ? 'page' : undefined}>
      {title}
    </a>
  )
  const hrefOf = (page: Page) => (count ? linkBack(page) : `/${link(page)}`)
  return (
    <div class="site">
      <a class="brand" href="/" aria-label="proxysim">
        <img src="/favicon.svg" alt="" width="20" height="20" /> <b>proxysim</b>
      </a>
      <nav class="pages" aria-label="Pages">
        {Object.entries(pages).map(([name, title]) =>
          item(
            hrefOf(name as Page),
            name,
            <>
              {title} {count?.(name as Page)}
            </>,
          ),
        )}
        {item(
          '/docs',
          'docs',
          <span>
            API<span class="wide-only"> reference</span>
          </span>,
        )}
        {item('/docs/guide', 'guide', 'Guide')}
      </nav>
    </div>
  )
}
