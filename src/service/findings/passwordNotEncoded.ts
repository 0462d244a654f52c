import { fromBase64 } from '../../lib/base64.ts'
import type { FindingRule, ObservedRequest } from '../../findings/FindingRule.ts'

const messages = {
  refused: 'A password that is not base64 was sent and refused.',
  twice: 'A password was base64-encoded twice, so the service takes the encoded text as the password.',
}

export const passwordNotEncoded: FindingRule<'password-not-encoded'> = {
  name: 'password-not-encoded',
  severity: 'medium',
  description: 'It sends a `password` that is not base64, or that was encoded twice.',
  advice:
    "The API expects a service's password in base64 (RFC 4648, with padding). Encode it once, where it is sent.",
  appliesTo: (request) => mistakeIn(request) !== undefined,
  key: (request) => [request.record.account, mistakeIn(request)],
  find: (requests) => [{ message: messages[mistakeIn(requests[0]) ?? 'refused'], examples: requests }],
}

function mistakeIn({ operation, body, record }: ObservedRequest): keyof typeof messages | undefined {
  for (const name of operation.secrets) {
    const password = body[name]
    if (typeof password !== 'string') continue
    const decoded = fromBase64(password)
    if (decoded === undefined) return record.case === 'incorrect-posted-data' ? 'refused' : undefined
    if (looksEncoded(decoded)) return 'twice'
  }
  return undefined
}

/**
 * Whether a password is itself base64-encoded. Many ordinary passwords are valid base64 by chance, and the shorter they
 * are, the more likely they decode to something readable. So shorter passwords are checked more strictly, and those of
 * fewer than eight characters count only if padded. A test limits the false-positive rate.
 */
export function looksEncoded(password: string): boolean {
  const inner = fromBase64(password)
  if (inner === undefined) return false
  // Padding is evidence too: few passwords end like this.
  if (password.endsWith('=')) return (password.length < 8 ? lettersAndDigits : text).test(inner)
  if (password.length >= 12) return printable.test(inner)
  return password.length >= 8 && lettersAndDigits.test(inner)
}

const text = /^[^\p{Cc}\ufffd]+$/u
const printable = /^[\u0020-\u007e]+$/
const lettersAndDigits = /^[A-Za-z0-9]+$/
