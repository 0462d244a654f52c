import { unescape } from 'node:querystring'
import { isObject } from '../world/mergePatch.ts'

/*
 * Credentials are redacted by name: fields, headers and parameters with secret names, and user and password in URLs. Values aren't
 * searched, because clients send test data here, and anyone who can read the journal can also read the account's password.
 */

/** Replaces redacted values. */
export const redacted = '[redacted]'

/** Redacts a text. If only the percent-decoded text shows a credential, the result is decoded. */
export function redactText(text: string): string {
  return redactDecoded(text, redactPlain)
}

export function redactDecoded(text: string, redact: (text: string) => string): string {
  const safe = redact(text)
  if (!/[%+]/.test(safe)) return safe
  const decoded = unescape(safe.replaceAll('+', ' '))
  const redactedDecoded = redact(decoded)
  return redactedDecoded === decoded ? safe : redactedDecoded
}

export function redactPlain(text: string): string {
  let safe = text
  // Most texts contain neither character, and `includes` is faster than the pattern.
  if (safe.includes('@')) safe = safe.replace(userInfo, `$1${redacted}@`)
  if (safe.includes('='))
    safe = safe.replace(parameter, (whole, name: string) =>
      isSecretName(name) ? `${name}=${redacted}` : whole,
    )
  return safe
}

/** A body that doesn't parse is shown as it was sent, unless it names a secret, whose value could be anywhere in it. */
export function redactUnparsed(body: string): string {
  return isSecretName(body)
    ? `[${body.length} characters that name a secret and are not valid JSON]`
    : redactText(body)
}

/** Redacts any JSON value. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redactValue)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isHidden = isSecretName(name) && !harmless.test(JSON.stringify(item))
      return [redactText(name), isHidden ? redacted : redactValue(item)]
    }),
  )
}

/** In JSON that doesn't parse, the slashes may be escaped. */
const userInfo = /(\/\\?\/)[^\s/?#"'<>]*@/g

/** `name=value` of a query or a form */
const parameter = /(?<=^|[?&;\s])([^\s=?&;#"]+)=[^\s&#"]*/g

/** JSON texts that are empty, or the contract's message after a password change */
const harmless = /^(?:null|""|\[\]|\{\}|\{"success":"[A-Z][a-z ]+ successfully"\})$/

const secretName =
  /passw|passphrase|passcode|pwd|secret|token|credential|authorization|cookie|bearer|jwt|apikey|(?<![a-z])(?:pass|auth|keys?|pw|otp)(?![a-z])/

/** Whether a field, parameter or header is named like a secret: `dbPass` and `access-token` are, `passport` isn't. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.replaceAll(/([a-z])(?=[A-Z])/g, '$1_').toLowerCase())
}
