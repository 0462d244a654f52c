import { fromBase64 } from '../world/base64.ts'
import { Refusal } from '../world/Refusal.ts'
import type { World } from '../world/World.ts'

/** A request's HTTP Basic credentials; a token can replace the password. */
export interface Credentials {
  login: string
  secret: string
}

let latest: { header: string | undefined; read: Credentials | Refusal } | undefined

/**
 * Reads the Authorization header. Several are joined by commas (`limits`), which is none of the right form. Clients send
 * the same one again and again, so it is decoded only if it isn't the latest.
 */
export function readCredentials(header: string | undefined): Credentials | Refusal {
  if (!latest || latest.header !== header) latest = { header, read: credentialsOf(header) }
  return latest.read
}

function credentialsOf(header: string | undefined): Credentials | Refusal {
  if (header === undefined) return new Refusal('unauthenticated', 'there is no Authorization header')
  const encoded = /^basic +(\S+) *$/i.exec(header)?.[1]
  if (encoded === undefined)
    return new Refusal(
      'invalid-authorization-header',
      'the Authorization header is not of the form "Basic {credentials}"',
    )
  const decoded = fromBase64(encoded)
  if (decoded === undefined)
    return new Refusal(
      'invalid-credentials-format',
      'the credentials are not base64 of UTF-8 text (padding included)',
    )
  const colon = decoded.indexOf(':') // the first one, as a password may contain colons
  if (colon < 0)
    return new Refusal(
      'invalid-credentials-format',
      'the decoded credentials have no colon between login and password',
    )
  return { login: decoded.slice(0, colon), secret: decoded.slice(colon + 1) }
}

/** Why credentials don't give access to a world, if so. */
export function authenticate(
  credentials: Credentials | Refusal,
  world: World | undefined,
): Refusal | undefined {
  if (credentials instanceof Refusal) return credentials
  if (!world) return new Refusal('unauthenticated', 'there is no account with this login')
  const { secret } = credentials
  if (secret === world.password || world.tokens.includes(secret)) return undefined
  return new Refusal('unauthenticated', 'wrong password or token for this login')
}
