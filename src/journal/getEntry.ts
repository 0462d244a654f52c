import { headerText } from '../lib/http.ts'
import { jsonOf } from '../lib/json.ts'
import { counted } from '../lib/text.ts'
import { change as changed, inverse } from '../world/change.ts'
import { isShownAsStored, shownChange } from '../world/shownChange.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf } from '../world/time.ts'
import type { JournalEntry } from '../contract/shapes.ts'
import type { Headers, JournalRecord } from './JournalRecord.ts'
import { isSecretName, redacted, redactText, redactValue } from './redact.ts'

/** The redacted entry of a record. It is created when first read, because most are never read. */
export function entryOf(record: JournalRecord): JournalEntry {
  return (record.entry ??= redactRecord(record))
}

function redactRecord(record: JournalRecord): JournalEntry {
  const { id, account, version, operation, method, status, forced, omitted } = record
  const shown = record.shown ?? shownOf(record)
  const reason = record.reason === null ? null : redactText(record.reason)
  const responseHeaders = safeHeaders(record.responseHeaders)
  // Encoding the reason as a header may have removed characters that the redactor needs.
  if (reason !== null && responseHeaders['sim-reason']) responseHeaders['sim-reason'] = headerText(reason)
  return {
    id,
    time: instantOf(record.time),
    account,
    version,
    operation,
    method,
    path: redactText(record.path),
    status,
    case: record.case,
    reason,
    forced,
    ...(record.overridden && { overridden: true }),
    durationMs: Math.round(record.durationMs * 1000) / 1000,
    request: {
      headers: safeHeaders(record.requestHeaders),
      body: safeBody(record.requestBody, omitted?.request, safeRequest),
    },
    response: {
      headers: responseHeaders,
      body: safeBody(record.responseBody, omitted?.response, (body) => redactValue(jsonOf(body) ?? body)),
    },
    change: shown.change === undefined ? null : redactValue(shown.change),
    before: shown.undo === undefined ? null : redactValue(shown.undo),
    violations: record.violations.map((violation) => redactText(violation)),
  }
}

/** The change of a record and what undoes it, as they are shown. */
export function shownOf({ before, change, undo, at }: JournalRecord): NonNullable<JournalRecord['shown']> {
  if (!change || !before) return { change, undo }
  const undone = undo ?? inverse(before, change)
  if (isShownAsStored(change)) return { change, undo: undone }
  return { change: shownChange(change, changed(before, change), at), undo: shownChange(undone, before, at) }
}

function safeHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isSecretName(name) ? redacted : redactText(String(value))]],
    ),
  )
}

function safeBody(
  body: string | undefined,
  omitted: number | undefined,
  show: (body: string) => unknown,
): unknown {
  if (omitted) return `[${counted(omitted, 'character')}: too long to be recorded]`
  return body ? show(body) : null
}

/** Objects are redacted by field name. Of other values, only type and length are shown. */
function safeRequest(body: string): unknown {
  const value = jsonOf(body)
  if (isObject(value)) return redactValue(value)
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return `[${value === undefined ? 'not JSON' : `JSON ${type}`}, ${counted(body.length, 'character')}]`
}
