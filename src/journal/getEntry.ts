import { headerText } from '../lib/http.ts'
import { parseJson } from '../lib/json.ts'
import { counted } from '../lib/text.ts'
import { inverse } from '../world/change.ts'
import { toShownChange } from '../world/shownChange.ts'
import { toIsoString } from '../world/time.ts'
import type { JournalEntry } from '../contract/shapes.ts'
import type { Headers, JournalRecord } from './JournalRecord.ts'
import { isSecretName, redacted, redactText, redactUnparsed, redactValue } from './redact.ts'

/** Returns the redacted entry of a record. It is only created when first read, because most are never read. */
export function getEntry(record: JournalRecord): JournalEntry {
  return (record.entry ??= redactRecord(record))
}

function redactRecord(record: JournalRecord): JournalEntry {
  const { id, account, version, delayedBy, operation, method, status, forced, omitted, change, before } =
    record
  const undo = record.undo ?? (change && before && inverse(before, change))
  const reason = record.reason === null ? null : redactText(record.reason)
  const responseHeaders = redactHeaders(record.responseHeaders)
  // Encoding the reason as a header may have removed characters that the redactor needs.
  if (reason !== null && responseHeaders['sim-reason']) responseHeaders['sim-reason'] = headerText(reason)
  return {
    id,
    time: toIsoString(record.time),
    account,
    version: version !== null && delayedBy !== undefined ? version - 1 : version, // the fault's count is a change, too
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
      headers: redactHeaders(record.requestHeaders),
      body: redactRequestBody(record.requestBody, omitted?.request),
    },
    response: {
      headers: responseHeaders,
      body: redactResponseBody(record.responseBody, omitted?.response),
    },
    change: change ? redactValue(toShownChange(change, record.at)) : null,
    before: undo ? redactValue(toShownChange(undo, record.at)) : null,
    violations: record.violations.map((violation) => redactText(violation)),
  }
}

function redactHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isSecretName(name) ? redacted : redactText(String(value))]],
    ),
  )
}

/** Objects and lists are shown as JSON values, and other bodies as they were sent. @param omitted the length of a body that was too long */
function redactRequestBody(body: string | undefined, omitted: number | undefined): unknown {
  if (body && omitted) return `${redactUnparsed(body)}… [the beginning of ${omitted} characters]`
  if (!body) return omitted ? omissionOf(omitted) : null
  const value = parseJson(body)
  return typeof value === 'object' && value !== null ? redactValue(value) : redactUnparsed(body)
}

function redactResponseBody(body: string | undefined, omitted: number | undefined): unknown {
  if (omitted) return omissionOf(omitted)
  return body ? redactValue(parseJson(body) ?? body) : null
}

function omissionOf(length: number): string {
  return `[${counted(length, 'character')}: too long to be recorded]`
}
