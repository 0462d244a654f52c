import { useLayoutEffect, useState } from 'preact/hooks'

export const pages = { requests: 'Requests', data: 'Data', problems: 'Problems', reports: 'Reports' } as const
export type Page = keyof typeof pages

/** The sections of the page Problems, by their path. */
export const problemSections = {
  '': 'Problems',
  coverage: 'Not tested yet',
  assumptions: 'Assumptions',
} as const

/** The current page: `#/requests/17?show=failed` */
export interface Route {
  page: Page
  subpath: string
  query: URLSearchParams
}

/** The last link of each page, which restores its filters. */
const lastLinks: Partial<Record<Page, string>> = {}

/** Unknown addresses lead to the requests. */
export function readRoute(): Route {
  const [path = '', search = ''] = location.hash.slice(1).split('?', 2)
  const [, name = '', ...segments] = path.split('/')
  const query = new URLSearchParams(search)
  if (!Object.hasOwn(pages, name)) return { page: 'requests', subpath: '', query }
  const page = name as Page
  const subpath = segments.join('/')
  lastLinks[page] = link(page, page === 'requests' ? '' : subpath, query)
  return { page, subpath, query }
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
  useLayoutEffect(() => {
    const update = () => setRoute(readRoute())
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return route
}
