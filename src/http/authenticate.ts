import { hash, timingSafeEqual } from 'node:crypto'
import { holds, type Condition } from '../contract/Condition.ts'
import type { ContractOperation } from '../contract/Contract.ts'
import type { Store } from '../state/Store.ts'
import { fromBase64 } from '../world/base64.ts'
import { Refusal } from '../world/Refusal.ts'
import type { World } from '../world/World.ts'
import type { WireRequest } from './Wire.ts'

export interface Authenticated {
  login: string
  world: World
}

/**
 * Whose request it is. HTTP Basic; the token stands in the password's place.
 * @throws Refusal
 */
export function authenticate(
  request: WireRequest,
  store: Store,
  operation: ContractOperation | undefined,
  path: Readonly<Record<string, string>>,
): Authenticated {
  try {
    return byCredentials(request, store)
  } catch (refusal) {
    const optionalWhen = operation?.authOptionalWhen
    const open = optionalWhen && openWorld(store, optionalWhen, request, path['id'] ?? '')
    if (open) return open
    throw refusal
  }
}

function byCredentials(request: WireRequest, store: Store): Authenticated {
  const header = request.headers['authorization']
  const known = request.count('authorization') === 1 ? accepted.get(header) : undefined
  const { login, digest } = known ?? readHeader(request)
  const world = store.world(login)
  const isAccepted = acceptedBy(world).filter((secret) => timingSafeEqual(secret, digest)).length > 0
  if (!world || !isAccepted)
    throw new Refusal(
      'unauthenticated',
      world ? 'wrong password or token for this login' : 'there is no account with this login',
    )
  remember(header, { login, digest })
  return { login, world }
}

interface Read {
  login: string
  /** Of the password or token */
  digest: Buffer
}

/**
 * What was read from the headers that were accepted of late: clients send theirs with each request. Whether it is
 * still accepted is asked each time. What was refused is read anew each time, at the same cost.
 */
const accepted = new Map<unknown, Read>()
const mostAccepted = 10_000
const longestAccepted = 1000

function remember(header: string | string[] | undefined, read: Read): void {
  if (typeof header !== 'string' || header.length > longestAccepted || accepted.has(header)) return
  if (accepted.size >= mostAccepted) accepted.clear()
  accepted.set(header, read)
}

/** An unknown login costs as much as a wrong password: its digest is made all the same. @throws Refusal */
function readHeader(request: WireRequest): Read {
  const { login, password } = credentials(request)
  return { login, digest: digestOf(password) }
}

function credentials(request: WireRequest): { login: string; password: string } {
  const header = request.headers['authorization']
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

/** Without credentials: the world that has the service, among those that leave the operation open. */
function openWorld(
  store: Store,
  optionalWhen: Condition,
  request: WireRequest,
  id: string,
): Authenticated | undefined {
  const open = Object.entries(store.state.accounts).filter(([, world]) => holds(optionalWhen, world))
  const named = loginOf(request)
  const [login, world] =
    open.find(([one]) => one === named) ?? open.find(([, { services }]) => services[id]) ?? open[0] ?? []
  return login !== undefined && world ? { login, world } : undefined
}

function loginOf(request: WireRequest): string | undefined {
  try {
    return credentials(request).login
  } catch {
    return undefined
  }
}
