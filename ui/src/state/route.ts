import { useEffect, useState } from 'preact/hooks'

/** Where one is: `#/requests/17`, `#/try/orderService?pid=101`. */
export interface Route {
  section: string
  rest: string
  /** As it stands in the address */
  query: string
}

export function readRoute(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  const [, section = '', ...rest] = path.split('/')
  return { section, rest: rest.join('/'), query }
}

export function go(section: string, rest = '', query: Record<string, string> = {}): void {
  location.hash = link(section, rest, query)
}

export function link(section: string, rest = '', query: Record<string, string> = {}): string {
  const asked = new URLSearchParams(query).toString()
  return `#/${section}${rest && `/${rest}`}${asked && `?${asked}`}`
}

/** Changes the query of where one is; it makes no step in the browser's history. */
export function setQuery(query: Record<string, string>): void {
  const { section, rest } = readRoute()
  history.replaceState(null, '', link(section, rest, query))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The present route, drawn again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  useEffect(() => {
    const look = () => setRoute(readRoute())
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return route
}
