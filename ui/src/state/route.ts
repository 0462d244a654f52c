import { useEffect, useState } from 'preact/hooks'

export const pages = { requests: 'Requests', data: 'Data', quality: 'Quality' } as const
export type Page = keyof typeof pages

/** Where one is: `#/requests/17?show=failed` */
export interface Route {
  page: Page
  rest: string
  query: URLSearchParams
}

/** Where each page was left, so that coming back finds its filters. */
const left: Partial<Record<Page, string>> = {}

export function readRoute(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  const [, name = '', ...rest] = path.split('/')
  const page = Object.hasOwn(pages, name) ? (name as Page) : 'requests'
  left[page] = link(page, page === 'requests' ? '' : rest.join('/'), new URLSearchParams(query))
  return { page, rest: rest.join('/'), query: new URLSearchParams(query) }
}

export function link(page: Page, rest = '', query: URLSearchParams | Record<string, string> = {}): string {
  const asked = new URLSearchParams(query).toString()
  return `#/${page}${rest && `/${rest}`}${asked && `?${asked}`}`
}

/** A page as it was left. */
export function linkBack(page: Page): string {
  return left[page] ?? link(page)
}

export function go(to: string): void {
  location.hash = to
}

/** Goes there without a step in the browser's history. */
export function replaceRoute(to: string): void {
  history.replaceState(null, '', to)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The present route; the component is drawn again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  useEffect(() => {
    const look = () => setRoute(readRoute())
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return route
}
