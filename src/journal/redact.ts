import { isObject } from '../world/mergePatch.ts'

export const redacted = '[redacted]'

/** Names of fields, parameters and headers that hold credentials. */
const secretName = /(?:passw(?:or)?d|passphrase|tokens?|secret|authorization|credentials|api[-_]?key)$/i
const secretHeader = /authorization|cookie|token|secret|passw|api-?key/i

/** Headers without what they say of credentials. */
export function redactHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secrets: readonly Secret[],
): Record<string, string> {
  const safe: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    safe[name] = secretHeader.test(name) ? redacted : redactKnown(String(value), secrets)
  }
  return safe
}

/** A path with its query, without values of parameters that are named like credentials. */
export function redactPath(path: string, secrets: readonly Secret[]): string {
  const named = path
    .replace(/\/\/[^/?#@]*@/, `//${redacted}@`) // http://login:password@host, where a proxy was meant
    .replace(/([?&;])([^=&;]*)=([^&;]*)/g, (whole, mark: string, name: string) =>
      secretName.test(decoded(name)) ? `${mark}${name}=${redacted}` : whole,
    )
  return redactKnown(named, secrets)
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A value without what stands under a name like `password`. Messages about it (`{success}`) stay. */
export function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactValue)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretName.test(key) && !isMessage(item) ? redacted : redactValue(item),
    ]),
  )
}

/** "Password updated successfully", or nothing at all. */
function isMessage(value: unknown): boolean {
  if (value === null) return true
  return (
    isObject(value) &&
    /^[A-Z][a-z ]+ successfully$/.test(String(value['success'])) &&
    Object.keys(value).length === 1
  )
}

/** A secret that is known, in every form in which it can stand in a text. */
export interface Secret {
  length: number
  forms: string[]
}

/** As it is, in a URL, in JSON, and quoted in CSV. */
export function secretOf(text: string): Secret {
  const forms = [text, inUrl(text), JSON.stringify(text).slice(1, -1), text.replaceAll('"', '""')]
  return { length: text.length, forms: text === '' ? [] : [...new Set(forms)] }
}

function inUrl(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text // half a character; no URL can hold it
  }
}

/** A text with each known secret covered. */
export function redactKnown(text: string, secrets: readonly Secret[]): string {
  let safe = text
  for (const { length, forms } of secrets)
    for (const form of forms) if (safe.includes(form)) safe = cover(safe, form, length)
  return safe
}

/** A secret of a letter or two is covered where it stands alone: in the midst of words it is chance. */
function cover(text: string, form: string, length: number): string {
  if (length >= 4) return text.replaceAll(form, redacted)
  const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
  return text.replace(new RegExp(String.raw`(?<!\w)${literal}(?!\w)`, 'g'), redacted)
}
