import { headerText } from '../../headerText.ts'
import { jsonOf } from '../../jsonOf.ts'
import { instantOf } from '../../world/time.ts'
import type { JournalEntry } from '../../admin/shapes.ts'
import type { Headers, RawRecord } from '../RawRecord.ts'
import { isSecretName } from './isSecretName.ts'
import { learnFromBody, reach, redactRequestBody, redactResponseBody } from './redactBody.ts'
import { redacted } from './redacted.ts'
import { Redactor } from './Redactor.ts'

/** The redacted entry, and the redactor that made it. */
export function redactRecord(record: RawRecord): { entry: JournalEntry; redactor: Redactor } {
  const { requestHeaders, requestBody, responseHeaders, responseBody, reason, change, account } = record
  const redactor = new Redactor(
    typeof record.secrets === 'function' ? record.secrets() : (record.secrets ?? []),
  )
  const isRefused = account === null
  learn(record, redactor)
  redactor.focus(textsOf(record, reach(redactor)))
  const safeReason = reason === null ? null : redactor.text(reason, true)
  const safeHeaders = redactHeaders(responseHeaders, (value) => redactor.text(value, true))
  // A credential can't be found if it was cut or has lost characters; in the reason it can.
  const shownReason = responseHeaders['sim-reason']
  if (safeReason !== null && shownReason !== undefined && shownReason !== reason)
    safeHeaders['sim-reason'] = headerText(safeReason).slice(0, shownReason.length)
  const entry: JournalEntry = {
    id: record.id,
    time: instantOf(record.time),
    account,
    version: record.version,
    operation: record.operation,
    method: record.method,
    path: redactor.text(isRefused ? withoutValues(record.path) : record.path),
    status: record.status,
    case: record.case,
    reason: safeReason,
    forced: record.forced,
    durationMs: Math.round(record.durationMs * 1000) / 1000,
    request: {
      headers: redactHeaders(requestHeaders, (value) => redactor.text(value), isRefused),
      body: shown(
        requestBody && (isRefused ? unread(requestBody) : redactRequestBody(requestBody, redactor)),
      ),
    },
    response: {
      headers: safeHeaders,
      body: shown(responseBody && redactResponseBody(responseBody, redactor)),
    },
    change: change === undefined ? null : redactor.value(change),
    violations: record.violations.map((violation) => redactor.text(violation, true)),
  }
  redactor.forget()
  return { entry, redactor }
}

/** A credential that the request sends in one place is redacted everywhere else too. */
function learn({ requestHeaders, path, requestBody }: RawRecord, redactor: Redactor): void {
  for (const [name, value] of Object.entries(requestHeaders)) {
    if (value === undefined) continue
    if (!isSecretName(name)) redactor.learnFromText(String(value))
    else if (name === 'cookie')
      for (const cookie of String(value).split(';')) redactor.learn(cookieValue(cookie))
    else redactor.learn(String(value))
  }
  redactor.learnFromText(path)
  if (requestBody) learnFromBody(requestBody, redactor)
}

function cookieValue(cookie: string): string {
  const value = cookie.slice(cookie.indexOf('=') + 1)
  return value.length < 8 ? '' : value // a theme or a language
}

/** All places where a credential can occur; of the bodies, only the part that is read. */
function textsOf(record: RawRecord, read: number): string[] {
  const { path, reason, requestHeaders, responseHeaders, requestBody, responseBody, change, violations } =
    record
  return [
    path,
    reason ?? '',
    ...headerTexts(requestHeaders),
    ...headerTexts(responseHeaders),
    requestBody?.slice(0, read) ?? '',
    responseBody?.slice(0, read) ?? '',
    change === undefined ? '' : JSON.stringify(change),
    ...violations,
  ]
}

function headerTexts(headers: Headers): string[] {
  return Object.entries(headers).map(([name, value]) => (isSecretName(name) ? '' : String(value ?? '')))
}

/** Request headers that never identify the client. */
const harmless =
  /^(?:host|connection|user-agent|origin|referer|date|expect|via|te|dnt|range|pragma|upgrade|priority|purpose|keep-alive|transfer-encoding|cache-control|accept|sec-gpc|sec-purpose|(?:accept|content|if|sec-fetch|sec-ch)-.*)$/

function redactHeaders(
  headers: Headers,
  cover: (value: string) => string,
  isRefused = false,
): Record<string, string> {
  const safe: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const isHidden = isSecretName(name) || (isRefused && !harmless.test(name))
    safe[name] = isHidden ? redacted : cover(String(value))
  }
  return safe
}

/**
 * The path of an unauthenticated request without anything that could be a credential: parameter values, and path
 * segments that are neither a lowercase word nor an id.
 */
function withoutValues(path: string): string {
  const mark = path.indexOf('?')
  const parts = (mark < 0 ? path : path.slice(0, mark)).split('/')
  const safe = parts.map((part) => (/^(?:[a-z-]{0,30}|\d{1,10})$/.test(part) ? part : redacted)).join('/')
  if (mark < 0) return safe
  const pairs = path.slice(mark + 1).split('&')
  return `${safe}?${pairs.map((pair) => (pair === '' ? '' : withoutValue(pair))).join('&')}`
}

function withoutValue(pair: string): string {
  const sign = pair.indexOf('=')
  return sign > 0 ? `${pair.slice(0, sign)}=${redacted}` : redacted
}

function unread(body: string): string {
  return `[${body.length} characters of a request that was not authenticated]`
}

function shown(body: string | undefined): unknown {
  if (body === undefined || body === '') return null
  const value = jsonOf(body)
  return value === undefined ? body : value
}
