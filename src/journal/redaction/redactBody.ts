import { jsonOf } from '../../jsonOf.ts'
import { decodedViews } from './decodedViews.ts'
import { redactJson } from './redactJson.ts'
import type { Redactor } from './Redactor.ts'

/** Longer bodies are cut in the journal, so that its limit bounds memory too. */
const longestBody = 32 * 1024

export function isLong(body: string | undefined): boolean {
  return body !== undefined && body.length > longestBody
}

/** Signs of a credential in a text that has no field names to go by. */
const hint =
  /pass|pwd|token|authori[sz]|secret|credential|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|auth/i

/** Redacts a request body. If it isn't JSON and may contain a credential, nothing of it is kept. */
export function redactRequestBody(body: string, redactor: Redactor): string {
  if (
    decodedViews(body.slice(0, reach(redactor))).some(({ text }) => hint.test(text)) &&
    jsonOf(body) === undefined
  )
    return `[${body.length} characters that may hold a password, and are not JSON]`
  return cut(body, redactor, false)
}

/** Redacts a response body. It may be much longer than what we keep; the rest isn't even read. */
export function redactResponseBody(body: string, redactor: Redactor): string {
  return cut(body, redactor, true)
}

/** Learns the credentials that a body contains. */
export function learnFromBody(body: string, redactor: Redactor): void {
  const text = body.slice(0, reach(redactor))
  if (!looksLikeJson(text)) return redactor.learnFromText(text)
  redactJson(text, {
    cover: (value) => {
      redactor.learnFromText(value)
      return value
    },
    found: (item) => {
      for (const value of valuesIn(jsonOf(item) ?? item)) redactor.learn(value)
    },
    isOurs: false,
  })
}

/** The cut may split a credential, so we read a bit more than we keep. */
function cut(body: string, redactor: Redactor, isOurs: boolean): string {
  const text = isLong(body) ? copy(body, reach(redactor)) : body
  const cover = (value: string, limit: number): string => redactor.text(value, isOurs, limit)
  const safe = looksLikeJson(text)
    ? redactJson(text, { cover, isOurs, limit: longestBody })
    : cover(text, longestBody)
  return isLong(body) ? `${copy(safe, longestBody)}… (${body.length} characters in all)` : safe
}

/** How many characters of a body are read. */
export function reach(redactor: Redactor): number {
  return longestBody + redactor.longest
}

/** A slice would keep the whole text in memory; a copy doesn't. */
function copy(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString()
}

function looksLikeJson(text: string): boolean {
  return '{["'.includes(text.trimStart()[0] ?? ' ')
}

function valuesIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesIn)
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
}
