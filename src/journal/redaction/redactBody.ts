import { isDeep } from '../isDeep.ts'
import { decodedViews } from './decodedViews.ts'
import { redactJson } from './redactJson.ts'
import type { Redactor } from './Redactor.ts'

/** A body longer than this is cut in the journal, so that its bound is one of memory too. */
const longestBody = 32 * 1024

/** Whether a body will be cut. */
export function isLong(body: string | undefined): boolean {
  return body !== undefined && body.length > longestBody
}

/** What hints at a credential in a text that can't be read by its names. */
const hint =
  /pass|pwd|token|authori[sz]|secret|credential|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|auth/i

/** What a client sent, without credentials. What is not JSON and may hold one is not kept at all. */
export function redactRequestBody(body: string, redactor: Redactor): string {
  if (!isJson(body) && decodedViews(body.slice(0, reach(redactor))).some(({ text }) => hint.test(text)))
    return `[${body.length} characters that may hold a password, and are not JSON]`
  return cut(body, redactor, false)
}

/** What we sent, without credentials. It may be much longer than what is kept, and what is not kept is not read. */
export function redactResponseBody(body: string, redactor: Redactor): string {
  return cut(body, redactor, true)
}

/** Takes the credentials that a body holds. */
export function learnFromBody(body: string, redactor: Redactor): void {
  const text = body.slice(0, reach(redactor))
  if (!looksLikeJson(text)) return redactor.learnFromText(text)
  redactJson(text, {
    cover: (value) => {
      redactor.learnFromText(value)
      return value
    },
    found: (item) => {
      for (const value of valuesIn(item)) redactor.learn(value)
    },
    isOurs: false,
  })
}

/** Where a body is cut may be in the midst of a credential, so some more is read than is kept. */
function cut(body: string, redactor: Redactor, isOurs: boolean): string {
  const text = isLong(body) ? copy(body, reach(redactor)) : body
  const cover = (value: string, limit: number): string => redactor.text(value, isOurs, limit)
  const safe = looksLikeJson(text)
    ? redactJson(text, { cover, isOurs, limit: longestBody })
    : cover(text, longestBody)
  return isLong(body) ? `${copy(safe, longestBody)}… (${body.length} characters in all)` : safe
}

/** Characters of a body that are read. */
export function reach(redactor: Redactor): number {
  return longestBody + redactor.longest
}

/** A slice would hold on to the whole text; a copy does not. */
function copy(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString()
}

function looksLikeJson(text: string): boolean {
  return '{["'.includes(text.trimStart()[0] ?? ' ')
}

function isJson(text: string): boolean {
  if (isDeep(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The strings and numbers in a piece of JSON; the piece itself if it is broken. */
function valuesIn(item: string): string[] {
  const found: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number') found.push(String(value))
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  if (!isDeep(item))
    try {
      collect(JSON.parse(item))
    } catch {
      found.push(item)
    }
  return found
}
