import type { ApiRequest } from './snippets/ApiRequest.ts'
import type { JournalEntry } from './types.ts'

const leftOut = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'host',
  'origin',
  'referer',
  'transfer-encoding',
  'user-agent',
])

/** The request of an entry. The journal has no credentials: they are the account's of now. */
export function requestOfEntry(entry: JournalEntry, base: string, user: string | undefined): ApiRequest {
  const { headers, body } = entry.request
  const kept = Object.entries(headers).filter(([name]) => !leftOut.has(name) && !name.startsWith('sec-'))
  return {
    method: entry.method,
    url: base + entry.path,
    ...(user !== undefined && headers['authorization'] !== undefined && { user }),
    headers: Object.fromEntries(kept),
    ...(body !== null && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}
