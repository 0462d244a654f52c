import { hash, timingSafeEqual } from 'node:crypto'
import { fromBase64 } from '../world/base64.ts'
import { Refusal } from '../world/Refusal.ts'
import type { World } from '../world/World.ts'
import type { WireRequest } from './Wire.ts'

/** A request's HTTP Basic credentials; a token can replace the password. */
export type Credentials = Read | { refusal: Refusal; login?: undefined }

interface Read {
  login: string
  /** SHA-256 of the password or token */
  digest: Buffer
  /** As it was sent */
  header: string
}

/** Parses the Authorization header; `authenticate` then verifies it. */
export function readCredentials(request: WireRequest): Credentials {
  const header = request.headers['authorization']
  if (header === undefined) return refusal('unauthenticated', 'there is no Authorization header')
  if (request.count('authorization') > 1)
    return refusal('invalid-authorization-header', 'there is more than one Authorization header')
  return accepted.get(header) ?? parse(String(header))
}

/**
 * Headers that were accepted before, parsed, as clients send theirs with every request: to parse one takes some 5 µs. They
 * are still verified each time. Refused ones aren't kept, so each attempt costs the same.
 */
const accepted = new Map<unknown, Read>()
const mostAccepted = 10_000
const longestAccepted = 1000

function parse(header: string): Credentials {
  const [, encoded] = /^basic +(\S+) *$/i.exec(header) ?? []
  if (encoded === undefined)
    return refusal(
      'invalid-authorization-header',
      'the Authorization header is not of the form "Basic {credentials}"',
    )
  const decoded = fromBase64(encoded)
  if (decoded === undefined)
    return refusal(
      'invalid-credentials-format',
      'the credentials are not base64 of UTF-8 text (padding included)',
    )
  const colon = decoded.indexOf(':') // the first one, as a password may contain colons
  if (colon < 0)
    return refusal(
      'invalid-credentials-format',
      'the decoded credentials have no colon between login and password',
    )
  return { login: decoded.slice(0, colon), digest: digestOf(decoded.slice(colon + 1)), header }
}

/** Why credentials don't give access to a world, if so. Takes the same time for an unknown login as for a wrong password. */
export function authenticate(credentials: Credentials, world: World | undefined): Refusal | undefined {
  if ('refusal' in credentials) return credentials.refusal
  const { digest, header } = credentials
  const isAccepted = acceptedBy(world).filter((secret) => timingSafeEqual(secret, digest)).length > 0
  if (!world) return new Refusal('unauthenticated', 'there is no account with this login')
  if (!isAccepted) return new Refusal('unauthenticated', 'wrong password or token for this login')
  if (header.length > longestAccepted) return undefined
  if (accepted.size >= mostAccepted) accepted.clear()
  accepted.set(header, credentials)
  return undefined
}

function refusal(name: string, reason: string): Credentials {
  return { refusal: new Refusal(name, reason) }
}

/** Compares in constant time, even if the lengths differ. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b))
}

/** Digests have the same length, as `timingSafeEqual` requires. */
function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** By tokens, which the versions of a world share */
const digests = new WeakMap<readonly string[], { password: string; accepted: Buffer[] }>()

/** Digests of a world's password and tokens, cached until they change. */
function acceptedBy(world: World | undefined): Buffer[] {
  if (!world) return [digestOf('')]
  const { password, tokens } = world
  let known = digests.get(tokens)
  if (known?.password !== password) {
    known = { password, accepted: [password, ...tokens].map(digestOf) }
    digests.set(tokens, known)
  }
  return known.accepted
}
