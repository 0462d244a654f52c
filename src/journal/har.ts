import type { Entry, Har } from 'har-format'
import { STATUS_CODES } from 'node:http'
import { version } from '../version.ts'
import type { JournalEntry } from './JournalEntry.ts'

/** Journal entries as an HTTP archive (HAR 1.2), which browsers' network panels can open. Oldest entry first. */
export function har(entries: Entry[]): Har {
  return {
    log: {
      version: '1.2',
      creator: { name: 'proxy-reselling-simulator', version },
      entries,
    },
  }
}

/** A journal entry in HAR format. */
export function harEntry(entry: JournalEntry): Entry {
  const { request, response, durationMs, method, path, status } = entry
  const requestText = textOf(request.body)
  const responseText = textOf(response.body)
  const mark = path.indexOf('?')
  const query = new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1))
  return {
    startedDateTime: entry.time,
    time: durationMs,
    request: {
      method,
      url: `http://${request.headers['host'] ?? 'localhost'}${path}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(Object.entries(request.headers)),
      queryString: pairs([...query]),
      headersSize: -1,
      bodySize: Buffer.byteLength(requestText),
      ...(requestText !== '' && {
        postData: { mimeType: request.headers['content-type'] ?? '', text: requestText },
      }),
    },
    response: {
      status: status ?? 0, // 0: there was no response
      statusText: STATUS_CODES[status ?? 0] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(Object.entries(response.headers)),
      content: {
        size: Buffer.byteLength(responseText),
        mimeType: response.headers['content-type'] ?? 'x-unknown',
        text: responseText,
      },
      redirectURL: response.headers['location'] ?? '',
      headersSize: -1,
      bodySize: Buffer.byteLength(responseText),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    ...customFields(entry),
  }
}

/** What HAR has no field for; custom fields start with an underscore. */
function customFields(entry: JournalEntry): Record<`_${string}`, unknown> {
  const { id, account, operation, reason, forced, change, violations } = entry
  return {
    _id: id,
    _account: account,
    _operation: operation,
    _case: entry.case,
    _reason: reason,
    _forced: forced,
    _change: change,
    _violations: violations,
  }
}

function pairs(named: readonly (readonly [string, string])[]): { name: string; value: string }[] {
  return named.map(([name, value]) => ({ name, value }))
}

function textOf(body: unknown): string {
  if (body === null || body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}
