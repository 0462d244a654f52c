import { fromBase64 } from '../lib/base64.ts'
import { Refusal } from '../world/Refusal.ts'

export interface Credentials {
  login: string
  secret: string
}

/** Reads an Authorization header. Node joins repeated headers with commas, which makes the result invalid. */
export function readCredentials(header: string | undefined): Credentials | Refusal {
  if (header === undefined) return new Refusal('unauthenticated', 'there is no Authorization header')
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1]
  if (encoded === undefined)
    return new Refusal(
      'invalid-authorization-header',
      header.includes(', ')
        ? 'the Authorization header was sent more than once, or contains a comma'
        : /^basic .*\S\s+\S/i.test(header)
          ? 'the credentials contain white space. Encode them as base64 without line breaks'
          : 'the Authorization header is not of the form "Basic {credentials}"',
    )
  const decoded = fromBase64(encoded)
  const colon = decoded?.indexOf(':') ?? -1 // the first one, as a password may contain colons
  if (decoded !== undefined && colon >= 0)
    return { login: decoded.slice(0, colon), secret: decoded.slice(colon + 1) }
  return new Refusal(
    'invalid-credentials-format',
    decoded === undefined
      ? 'the credentials are not UTF-8 text in base64 (with padding)'
      : 'the decoded credentials have no colon between login and password',
  )
}
