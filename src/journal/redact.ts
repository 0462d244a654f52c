import { isObject } from '../world/mergePatch.ts'

export const redacted = '[redacted]'

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-admin-token',
])
const secretKey = /^(?:password|passwd|tokens?|authorization|secret|api_?key)$/i
const mayHoldSecret = /passw|token|authorization|secret|api_?key/i

/** Headers without what they say of credentials. */
export function redactHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const safe: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    safe[name] = secretHeaders.has(name) ? redacted : String(value)
  }
  return safe
}

/** A value without what stands under a name like `password`. Messages about it (`{success}`) stay. */
export function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactValue)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretKey.test(key) && !isMessage(item) ? redacted : redactValue(item),
    ]),
  )
}

function isMessage(value: unknown): boolean {
  return value === null || (isObject(value) && Object.keys(value).every((key) => key === 'success'))
}

/**
 * A body without credentials: JSON by its keys, any text by the secrets that are known. A text that is no JSON and
 * may hold a password is not kept at all.
 */
export function redactText(text: string, secrets: readonly string[]): string {
  let safe = text
  if (mayHoldSecret.test(text)) {
    try {
      safe = JSON.stringify(redactValue(JSON.parse(text)))
    } catch {
      return `[${text.length} characters that may hold a password, and are no JSON]`
    }
  }
  return redactKnown(safe, secrets)
}

/** A text with each known secret covered. */
export function redactKnown(text: string, secrets: readonly string[]): string {
  let safe = text
  for (const secret of secrets) {
    if (secret === '') continue
    if (safe.includes(secret)) safe = safe.replaceAll(secret, redacted)
    const escaped = encodeURIComponent(secret)
    if (escaped !== secret && safe.includes(escaped)) safe = safe.replaceAll(escaped, redacted)
    const quoted = JSON.stringify(secret).slice(1, -1)
    if (quoted !== secret && safe.includes(quoted)) safe = safe.replaceAll(quoted, redacted)
  }
  return safe
}
