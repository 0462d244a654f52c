import type { Entry, Header } from 'har-format'
import { harEntry } from '../lib/harEntry.ts'
import { version } from '../lib/files.ts'
import type { JournalEntry } from '../admin/shapes.ts'

/** An HTTP archive (HAR 1.2), which browsers' network panels can open. Oldest entry first. */
export function har(entries: Entry[]) {
  return { log: { version: '1.2', creator: { name: 'proxysim', version }, entries } }
}

export function harEntries(entries: readonly JournalEntry[]): Entry[] {
  return entries.map(harEntryOf)
}

function harEntryOf(entry: JournalEntry): Entry {
  const { request, response, durationMs, method, path } = entry
  return harEntry({
    startedDateTime: entry.time,
    durationMs,
    request: {
      method,
      url: `http://${request.headers['host'] ?? 'localhost'}${path}`,
      headers: headersOf(request.headers),
      body: textOf(request.body),
      bodySize: bodySizeOf(request.headers),
    },
    response: {
      status: entry.status ?? 0,
      headers: entry.status === null ? [] : headersOf(response.headers),
      body: entry.status === null || method === 'HEAD' ? '' : textOf(response.body),
    },
    custom: {
      _id: entry.id,
      _account: entry.account,
      _operation: entry.operation,
      _case: entry.case,
      _reason: entry.reason,
      _forced: entry.forced,
      _change: entry.change,
      _violations: entry.violations,
    },
  })
}

function headersOf(headers: Readonly<Record<string, string>>): Header[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}

/** The size as received: what is shown of the body is redacted. */
function bodySizeOf(headers: Readonly<Record<string, string>>): number {
  if (headers['transfer-encoding'] !== undefined) return -1
  const size = Number(headers['content-length'] ?? 0)
  return Number.isNaN(size) ? -1 : size // the header may be redacted too
}

function textOf(body: unknown): string {
  if (body === null || body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}
