import type { JournalEntry } from './types.ts'

const leftOut = new Set([
  'authorization',
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'user-agent',
  'transfer-encoding',
])

export interface CurlRequest {
  method: string
  url: string
  /** `login:password` */
  user?: string
  headers: Record<string, string>
  body?: string
}

/** A command for a POSIX shell. */
export function curl({ method, url, user, headers, body }: CurlRequest): string {
  return [
    method === 'GET' ? 'curl -i' : `curl -i -X ${method}`,
    ...(user === undefined ? [] : [`-u ${quote(user)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
    quote(url),
  ].join(' \\\n  ')
}

/** The request of an entry. The journal has no credentials: they are the account's of now. */
export function curlOfEntry(entry: JournalEntry, base: string, user: string | undefined): string {
  const { headers, body } = entry.request
  const kept = Object.entries(headers).filter(([name]) => !leftOut.has(name) && !name.startsWith('sec-'))
  return curl({
    method: entry.method,
    url: base + entry.path,
    ...(user !== undefined && headers['authorization'] !== undefined && { user }),
    headers: Object.fromEntries(kept),
    ...(body !== null && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
