import type { Header } from 'har-format'
import type { JournalEntry } from '../contract/shapes.ts'
import { version } from '../lib/files.ts'
import { harEntry, harPage } from '../lib/harEntry.ts'

/** Creates an HTTP archive (HAR 1.2), which browsers' network panels can open. @param entries oldest first */
export function har(entries: readonly JournalEntry[], isEncrypted: boolean) {
  const scheme = isEncrypted ? 'https' : 'http'
  const creator = { name: 'proxysim', version }
  const pages = [harPage(entries[0]?.time ?? new Date(0).toISOString())]
  const all = entries.map((entry) => toHarEntry(entry, scheme))
  return { log: { version: '1.2', creator, pages, entries: all } }
}

function toHarEntry(
  { request, response, time, durationMs, method, path, status, ...entry }: JournalEntry,
  scheme: string,
) {
  const host = request.headers['host'] ?? 'localhost'
  const body = method === 'HEAD' ? '' : toText(response.body)
  return harEntry({
    startedDateTime: time,
    time: durationMs,
    request: {
      method,
      url: `${scheme}://${host}${path}`,
      headers: toHarHeaders(request.headers),
      body: toText(request.body),
      bodySize: receivedBodySize(request.headers),
    },
    response:
      status === null
        ? { status: 0, headers: [], body: '' }
        : { status, headers: toHarHeaders(response.headers), body },
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

function toHarHeaders(headers: Readonly<Record<string, string>>): Header[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}

/** The size of the body as received; the shown body is redacted. */
function receivedBodySize(headers: Readonly<Record<string, string>>): number {
  if (headers['transfer-encoding'] !== undefined) return -1
  const size = Number(headers['content-length'] ?? 0)
  return Number.isNaN(size) ? -1 : size // the header may be redacted too
}

function toText(body: unknown): string {
  return typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)
}
