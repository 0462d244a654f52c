import { isObject, parseJson } from './json.ts'
import type { JournalEntry, World } from './types.ts'

/** A request to the API. */
export interface ApiRequest {
  method: string
  path: string
  headers: Record<string, string>
  /** `login:password` */
  user?: string
  body?: string
}

/** The headers that the API requires on every request. */
export const requiredHeaders = { accept: 'application/json', 'content-type': 'application/json' }

const omittedHeaders =
  /^(?:accept-encoding|authorization|connection|content-length|cookie|host|origin|referer|transfer-encoding|user-agent|sec-.*)$/

/** Rebuilds the request of a journal entry. The journal has no credentials, so `user` provides them. */
export function rebuildRequest({ method, path, request }: JournalEntry, user?: string): ApiRequest {
  const { headers, body } = request
  return {
    method,
    path,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !omittedHeaders.test(name))),
    ...(user !== undefined && headers['authorization'] !== undefined && { user }),
    ...(body !== null && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}

export interface ApiResponse {
  status: number
  body: unknown
  /** The error's name in the contract, and why the simulator returned it */
  case: string | undefined
  reason: string | undefined
}

/** Sends a request. @returns undefined if the connection broke */
export async function send({
  method,
  path,
  headers,
  user,
  body,
}: ApiRequest): Promise<ApiResponse | undefined> {
  try {
    const response = await fetch(path, {
      method,
      cache: 'no-store',
      credentials: 'omit',
      headers: { ...headers, ...(user !== undefined && { authorization: formatBasicAuth(user) }) },
      ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? null : (parseJson(text) ?? text),
      case: response.headers.get('sim-case') || undefined,
      reason: response.headers.get('sim-reason') || undefined,
    }
  } catch {
    return undefined
  }
}

/** The Authorization header of a `login:password`, in UTF-8. */
export function formatBasicAuth(user: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(user)))}`
}

/** The request as a command for a POSIX shell. */
export function formatCurl(
  { method, path, headers, user, body }: ApiRequest,
  origin = location.origin,
): string {
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(origin + path)}`,
    ...(user === undefined ? [] : [`-u ${quote(user)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

const exampleValues: Record<string, string> = {
  field: 'price',
  typel: 'http-ip',
  formatl: 'txt',
  ttl: '10',
  server: 'us1',
  session: 'abc',
}

/** Example paths of an operation, with ids of the account's records. */
export function listExamplePaths(path: string, world: World | undefined): { path: string; text: string }[] {
  const filled = path.replace(/\{(\w+)\}/g, (all, name: string) => exampleValues[name] ?? all)
  const [placeholder] = /\{\w+\}/.exec(filled) ?? []
  if (!placeholder) return [{ path: filled, text: '' }]
  const ids = listExampleIds(path, world).slice(0, 100)
  return ids.map(([id, text]) => ({ path: filled.replace(placeholder, id), text }))
}

/** Ids of the kind of record that the path names, or of services, with their name and status. Active services come first. */
function listExampleIds(path: string, world: World | undefined): (readonly [string, string])[] {
  if (!world) return [['1', '']]
  // The kinds of records are derived, because loading their descriptions would slow down the first page.
  const [, named = world.services] =
    Object.entries(world).find(([kind, records]) => isObject(records) && path.includes(kind.slice(0, -1))) ??
    []
  const isRotating = /sticky|stats|rate/.test(path)
  const records = Object.entries(named as Record<string, Record<string, unknown>>)
  const rank = ({ status }: Record<string, unknown>) => (status === 'Active' ? 0 : 1)
  return records
    .filter(([, { product_type: type }]) => !isRotating || type === 'ppr')
    .toSorted(([, a], [, b]) => rank(a) - rank(b))
    .map(([id, record]) => {
      const name = Object.entries(record).find(([field]) => /name$/i.test(field))?.[1]
      return [id, [name, record['status']].filter(Boolean).join(', ')] as const
    })
}

/** An example body; undefined if the operation takes none. */
export function getExampleBody(method: string, path: string, world: World | undefined): string | undefined {
  if (method === 'POST')
    return JSON.stringify({ clientid: Number(Object.keys(world?.clients ?? {})[0] ?? 11) })
  if (method === 'PUT' && path.includes('/service/')) return JSON.stringify({ setip: '192.0.2.77' })
  return undefined
}

/** The path's parameters; undefined if it doesn't match the template. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const segments = (path.split('?', 1)[0] as string).split('/')
  const templateSegments = template.split('/')
  if (templateSegments.length !== segments.length) return undefined
  const values: Record<string, string> = {}
  for (const [i, segment] of templateSegments.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name) values[name] = decodeURIComponent(segments[i] as string)
    else if (segment !== segments[i]) return undefined
  }
  return values
}
