import { hash, timingSafeEqual } from 'node:crypto'
import { fromBase64 } from '../world/base64.ts'
import { Refusal } from '../world/Refusal.ts'
import type { World } from '../world/World.ts'
import type { WireRequest } from './Wire.ts'

/** What a request says of who sends it (HTTP Basic); the token stands in the password's place. */
export type Credentials = Read | { refusal: Refusal; login?: undefined }

interface Read {
  login: string
  /** Of the password or token */
  digest: Buffer
  /** The header, while it is not known to be accepted */
  header: string | undefined
}

/** Reads the Authorization header; whether it is accepted, the world of the login says (`requireAccepted`). */
export function readCredentials(request: WireRequest): Credentials {
  const header = request.headers['authorization']
  const known = request.count('authorization') === 1 ? accepted.get(header) : undefined
  if (known) return known
  try {
    const { login, password } = parse(request, header)
    return { login, digest: digestOf(password), header: header as string }
  } catch (refusal) {
    return { refusal: refusal as Refusal }
  }
}

/** An unknown login costs as much as a wrong password. @throws Refusal */
export function requireAccepted(credentials: Credentials, world: World | undefined): void {
  if ('refusal' in credentials) throw credentials.refusal
  const { digest } = credentials
  const isAccepted = acceptedBy(world).filter((secret) => timingSafeEqual(secret, digest)).length > 0
  if (!world || !isAccepted)
    throw new Refusal(
      'unauthenticated',
      world ? 'wrong password or token for this login' : 'there is no account with this login',
    )
  remember(credentials)
}

/**
 * What was read from the headers that were accepted of late: clients send theirs with each request. Whether it is
 * still accepted is asked each time. What was refused is read anew each time, at the same cost.
 */
const accepted = new Map<unknown, Read>()
const mostAccepted = 10_000
const longestAccepted = 1000

function remember({ login, digest, header }: Read): void {
  if (header === undefined || header.length > longestAccepted) return
  if (accepted.size >= mostAccepted) accepted.clear()
  accepted.set(header, { login, digest, header: undefined })
}

function parse(request: WireRequest, header: string | string[] | undefined) {
  if (header === undefined) throw new Refusal('unauthenticated', 'there is no Authorization header')
  if (request.count('authorization') > 1)
    throw new Refusal('invalid-authorization-header', 'there is more than one Authorization header')
  const match = /^basic +(\S+) *$/i.exec(String(header))
  if (!match)
    throw new Refusal(
      'invalid-authorization-header',
      'the Authorization header is not of the form "Basic {credentials}"',
    )
  const decoded = fromBase64(match[1] as string)
  if (decoded === undefined)
    throw new Refusal(
      'invalid-credentials-format',
      'the credentials are not base64 of UTF-8 text (padding included)',
    )
  const colon = decoded.indexOf(':') // the first: a password may contain colons
  if (colon < 0)
    throw new Refusal(
      'invalid-credentials-format',
      'the decoded credentials have no colon between login and password',
    )
  return { login: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}

/** In constant time, whatever the lengths. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b))
}

/** Digests have one length, so that comparing them takes the same time whatever they are of. */
function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

const digests = new WeakMap<World, { password: string; tokens: readonly string[]; accepted: Buffer[] }>()

/** What a world accepts, digested once and not for every request. */
function acceptedBy(world: World | undefined): Buffer[] {
  if (!world) return [digestOf('')]
  const { password, tokens } = world
  let known = digests.get(world)
  // a change of the tokens is another array
  if (known?.password !== password || known.tokens !== tokens) {
    known = { password, tokens, accepted: [password, ...tokens].map(digestOf) }
    digests.set(world, known)
  }
  return known.accepted
}
