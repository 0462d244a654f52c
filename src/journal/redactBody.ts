import { isDeep } from './isDeep.ts'
import { redacted, redactKnown, redactValue, type Secret } from './redact.ts'

/** A body longer than this is cut in the journal, so that its bound is one of memory too. */
const longestBody = 32 * 1024

/** Whether a body will be cut. */
export function isLong(body: string | undefined): boolean {
  return body !== undefined && body.length > longestBody
}

/** What hints at a credential: a name like its fields', or a way to write one that can't be seen through. */
const hint = /passw|passphrase|token|authoriz|secret|credential|api[-_]?key|\\u|\0/i

/** What a client sent, without credentials. What is no JSON and may hold one is not kept at all. */
export function redactRequestBody(body: string, secrets: readonly Secret[]): string {
  const safe = hint.test(body) ? redactJson(body) : body
  return cut(safe ?? `[${body.length} characters that may hold a password, and are no JSON]`, secrets)
}

function redactJson(text: string): string | undefined {
  if (isDeep(text)) return undefined
  try {
    return JSON.stringify(redactValue(JSON.parse(text)))
  } catch {
    return undefined
  }
}

/**
 * What we sent, without credentials. It was written by us: fields look as JSON.stringify writes them, and IP lists as
 * `getIpList` lays them out. So what is long need not be parsed.
 */
export function redactResponseBody(
  body: string,
  hasSecretLines: boolean,
  secrets: readonly Secret[],
): string {
  const willBeCut = isLong(body)
  const start = willBeCut ? copy(body, longestBody + margin(secrets)) : body
  const named = /passw|token/i.test(start)
  const fields = named ? ((willBeCut ? undefined : redactJson(start)) ?? redactFields(start)) : start
  return cut(hasSecretLines ? redactList(fields) : fields, secrets, body.length)
}

function redactFields(json: string): string {
  const field = /("(?:[^"\\]|\\.)*(?:password|tokens?)"\s*:\s*)("(?:[^"\\]|\\.)*"?|\[[^\]]*\]?)/gi
  return json.replace(field, `$1"${redacted}"`)
}

/** Entries of an IP list without what comes behind address and port: username and password. */
function redactList(list: string): string {
  return /^\s*[[{]/.test(list)
    ? list.replace(/("\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}:)(?:[^"\\]|\\.)*/g, `$1${redacted}`)
    : list.replace(/^(\d{1,3}(?:\.\d{1,3}){3}[:,]\d{1,5}[:,]).*$/gm, `$1${redacted}`)
}

function cut(text: string, secrets: readonly Secret[], length = text.length): string {
  if (length <= longestBody) return redactKnown(text, secrets)
  // Where it is cut may be in the midst of a secret, so it is cleaned with some more behind it.
  const safe = redactKnown(copy(text, longestBody + margin(secrets)), secrets)
  return `${safe.slice(0, longestBody)}… (${length} characters in all)`
}

/** Characters that a secret can take up, however it is written. */
function margin(secrets: readonly Secret[]): number {
  return 1024 + 6 * Math.max(0, ...secrets.map(({ length }) => length))
}

/** A slice would hold on to the whole text; a copy does not. */
function copy(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString()
}
