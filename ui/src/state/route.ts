import { useEffect, useState } from 'preact/hooks'

export const pages = { requests: 'Requests', data: 'Data', quality: 'Quality' } as const
export type Page = keyof typeof pages

/** The current page: `#/requests/17?show=failed` */
export interface Route {
  page: Page
  subpath: string
  query: URLSearchParams
}

/** The last link of each page, which restores its filters. */
const lastLinks: Partial<Record<Page, string>> = {}

export function readRoute(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  const [, name = '', ...segments] = path.split('/')
  const page = Object.hasOwn(pages, name) ? (name as Page) : 'requests'
  lastLinks[page] = link(page, page === 'requests' ? '' : segments.join('/'), new URLSearchParams(query))
  return { page, subpath: segments.join('/'), query: new URLSearchParams(query) }
}

export function link(page: Page, subpath = '', query: URLSearchParams | Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `#/${page}${subpath && `/${subpath}`}${search && `?${search}`}`
}

/** A link to a page with its last filters. */
export function linkBack(page: Page): string {
  return lastLinks[page] ?? link(page)
}

export function go(to: string): void {
  location.hash = to
}

/** Opens a link without adding a step to the browser's history. */
export function replaceRoute(to: string): void {
  history.replaceState(null, '', to)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The current route. The component renders again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  useEffect(() => {
    const update = () => setRoute(readRoute())
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return route
}
