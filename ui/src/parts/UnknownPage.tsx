import { link, pages, type Page } from '../state/route.ts'

/** Shown if the dashboard has no page at the address. */
export function UnknownPage() {
  return (
    <div class="page-text">
      <h1>Page not found</h1>
      <p>
        The dashboard has no page <code>{location.hash}</code>. It has{' '}
        {(Object.keys(pages) as Page[]).map((name) => (
          <>
            <a href={link(name)}>{pages[name]}</a>,{' '}
          </>
        ))}
        the <a href="/docs">API reference</a> and the <a href="/docs/guide">guide</a>.
      </p>
    </div>
  )
}
