import { headerText } from '../../lib/http.ts'
import { jsonOf } from '../../lib/json.ts'
import { inverse } from '../../world/change.ts'
import { isObject } from '../../world/mergePatch.ts'
import { instantOf } from '../../world/time.ts'
import type { JournalEntry } from '../../admin/shapes.ts'
import type { Headers, RawRecord } from '../RawRecord.ts'
import { isSecretName } from './isSecretName.ts'
import { decodedUrl, redacted, Redactor, type KnownSecrets } from './Redactor.ts'

/** The entry that may be shown of a request, and what redacts texts of ours about it. */
export function redactRecord(record: RawRecord): { entry: JournalEntry; own: Redactor } {
  const { requestBody, responseBody, reason, change, forced, status, omitted, before } = record
  const undo = record.undo ?? (before && change && inverse(before, change))
  const redactor = new Redactor(secretsOf(record))
  const own = redactor.forOwnTexts(saidBy(record))
  const isOwnText = !forced && status !== null && status >= 400
  const safeReason = reason === null ? null : own.text(reason)
  const entry: JournalEntry = {
    id: record.id,
    time: instantOf(record.time),
    account: record.account,
    version: record.version,
    operation: record.operation,
    method: record.method,
    path: redactor.text(record.path),
    status,
    case: record.case,
    reason: safeReason,
    forced,
    durationMs: Math.round(record.durationMs * 1000) / 1000,
    request: {
      headers: safeHeaders(record.requestHeaders, redactor),
      body: omitted?.request ? tooLong(omitted.request) : safeRequest(requestBody, redactor),
    },
    response: {
      headers: safeHeaders(record.responseHeaders, redactor),
      body: omitted?.response
        ? tooLong(omitted.response)
        : safeResponse(responseBody, isOwnText ? own : redactor),
    },
    change: change === undefined ? null : redactor.value(change),
    before: undo === undefined ? null : redactor.value(undo),
    violations: record.violations.map((violation) => own.text(violation)),
  }
  const { headers } = entry.response
  // As a header, the reason has lost the characters by which a credential is found.
  if (reason !== null && record.responseHeaders['sim-reason'] === headerText(reason))
    headers['sim-reason'] = headerText(safeReason ?? '')
  return { entry, own }
}

/** Services whose passwords are looked for in all requests of their account; of more, in those that name or change them */
const mostServices = 200

function secretsOf({ secrets, before }: RawRecord): KnownSecrets {
  const known = typeof secrets === 'function' ? secrets() : (secrets ?? [])
  if (!before || before.services.size > mostServices) return known
  return [...known, before.services.map(({ password }) => password)]
}

/** What a request says of its own: its path as it is and decoded, and the texts in its body, but not the names of fields. */
function saidBy({ path, requestBody }: RawRecord): string {
  const said = [path, decodedUrl(path)]
  const body = jsonOf(requestBody)
  if (isObject(body))
    JSON.stringify(body, (_name, value: unknown) => (typeof value === 'string' ? said.push(value) : value))
  return said.join('\n')
}

function safeHeaders(headers: Headers, redactor: Redactor): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isSecretName(name) ? redacted : redactor.text(String(value))]],
    ),
  )
}

/** Only an object has names that tell what its values are: of anything else, type and length are shown. */
function safeRequest(body: string | undefined, redactor: Redactor): unknown {
  if (body === undefined || body === '') return null
  const value = jsonOf(body)
  if (isObject(value)) return redactor.value(value)
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return `[${value === undefined ? 'not JSON' : `JSON ${type}`}, ${characters(body.length)}]`
}

function safeResponse(body: string | undefined, redactor: Redactor): unknown {
  if (body === undefined || body === '') return null
  return redactor.value(jsonOf(body) ?? body)
}

function tooLong(length: number): string {
  return `[${characters(length)}: too long to be kept]`
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}
