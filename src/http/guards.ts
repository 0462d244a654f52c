import type { Request, Response } from 'express'
import type { Contract } from '../contract/Contract.ts'
import { headerText, checkAdminToken } from '../lib/http.ts'
import type { IncomingMessage } from 'node:http'
import { UserError } from '../lib/UserError.ts'
import { isSame } from './authenticate.ts'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export interface GuardOptions {
  host: string
  allowedHosts: readonly string[]
  adminToken: string | undefined
  cors: readonly string[]
  explain: boolean
  contract: Contract
}

/** Checks every request before any route, and answers those that it refuses. @returns whether the request may go on */
export type Admission = (req: Request, res: Response) => boolean

/** @throws UserError */
export function guards(options: GuardOptions): Admission {
  const { host, allowedHosts, adminToken, explain, contract } = options
  const cors = options.cors.map(readOrigin)
  const checkHost = hostGuard(host, allowedHosts)
  if (adminToken !== undefined) checkAdminToken(adminToken)
  return (req, res) => {
    const isOfApi = isApi(req.url)
    // The API must look like the real service.
    if (!isOfApi) for (const [name, value] of securityHeaders) res.setHeader(name, value)
    const refusal =
      checkHost(req) ??
      (isOfApi && isForeignSite(req) ? apiPageRefusal(req, cors) : undefined) ??
      (!isOfApi && isAdmin(req.url) ? adminGuard(req, adminToken) : undefined)
    if (!refusal) return !isOfApi || cors.length === 0 || corsGuard(req, res, cors, contract)
    res.status(refusal.status).set({ 'cache-control': 'no-store', ...refusal.headers })
    if (explain && isOfApi) res.set({ 'sim-case': refusal.case, 'sim-reason': headerText(refusal.reason) })
    res.json({ error: refusal.reason })
    return false
  }
}

/** Pages that need more set their own policy. */
const securityHeaders = Object.entries({
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
})

/** Says why a request is refused before any route, if it is. */
type Guard = (req: IncomingMessage) => GuardRefusal | undefined

interface GuardRefusal {
  status: number
  case: string
  reason: string
  headers?: Record<string, string>
}

const always = ['localhost', '127.0.0.1', '[::1]']

/**
 * Only accepts known host names. A web page can point its own name at 127.0.0.1 and then has the same origin as the
 * simulator (DNS rebinding); only the Host header gives it away. So this applies to every path.
 * @param host the host that the server binds to
 * @param allowedHosts other accepted names
 * @throws UserError if an allowed host isn't a host name
 */
export function hostGuard(host: string, allowedHosts: readonly string[]): Guard {
  const own = hostName(host.includes(':') ? `[${host}]` : host)
  const known = new Set([...always, ...(own === undefined ? [] : [own]), ...allowedHosts.map(readAllowed)])
  return ({ url, rawHeaders, headers, httpVersion }) => {
    if (!url?.startsWith('/')) return bad(asProxy)
    const hosts = countHeader(rawHeaders, 'host')
    if (hosts > 1) return bad(`there are ${hosts} Host headers; there must be one`)
    // HTTP/1.0 has none, and browsers don't use it
    if (headers.host === undefined) return httpVersion === '1.0' ? undefined : bad('there is no Host header')
    const name = hostName(headers.host)
    if (name === undefined) return bad('the Host header is not a host name')
    if (known.has(name)) return undefined
    const shown = name.slice(0, 253)
    return {
      status: 421,
      case: 'host-not-allowed',
      reason: `Misdirected Request: this simulator does not serve the host ${shown}. If that is its name, start it with --allowed-host ${shown}`,
    }
  }
}

function readAllowed(name: string): string {
  const known = hostName(name)
  if (known === undefined)
    throw new UserError(
      `The allowed host ${JSON.stringify(name)} is not a host name. Use a name or an address without scheme and path: --allowed-host sim.example`,
    )
  return known
}

export const asProxy = 'the request target must be a path; is this address set as an HTTP proxy somewhere?'

function bad(reason: string): GuardRefusal {
  return { status: 400, case: 'bad-host', reason: `Bad Request: ${reason}` }
}

const nameAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{0,5})?$/

/**
 * The name in a Host header or an option, in lower case and without the port. An IPv6 address keeps its brackets and is
 * shortened as by URL: it can be written in many ways, and some clients send it as given, others shortened.
 * @returns undefined if the text isn't one
 */
export function hostName(text: string): string | undefined {
  const name = nameAndPort.exec(text.toLowerCase())?.[1]
  if (!name?.startsWith('[')) return name?.replace(/\.$/, '')
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined
}

/*
 * Foreign web pages are kept out: browsers name a page's site (`Sec-Fetch-Site`) and origin (`Origin`), programs neither.
 */

/** Keeps foreign web pages out of a server that accepts programs alone. */
export const pageGuard: Guard = (req) =>
  isForeignSite(req) ? forbidden(`${bySite}; only programs may send any here`) : undefined

/**
 * `/api` accepts pages of this origin and of those that `--cors` names: a mere link to it changes state, as some of its
 * GETs do.
 */
function apiPageRefusal(
  { headers: { origin } }: IncomingMessage,
  cors: readonly string[],
): GuardRefusal | undefined {
  if (origin !== undefined && cors.includes(origin)) return undefined
  return forbidden(
    `${bySite}; to let pages of an origin use the API, start the simulator with --cors ${origin ?? 'ORIGIN'}`,
  )
}

/**
 * The control plane accepts its own pages, and requires the token if there is one, as `Authorization: Bearer TOKEN` or
 * `X-Admin-Token: TOKEN`. Its health stays open for health checks of containers; it only reveals version and scenario.
 */
function adminGuard(req: IncomingMessage, token: string | undefined): GuardRefusal | undefined {
  const { origin, host = '', authorization = '', 'x-admin-token': own } = req.headers
  // The Host was checked before. Behind a proxy, only the scheme may differ.
  const foreign = isForeignSite(req)
    ? bySite
    : origin !== undefined && !isOf(origin, host)
      ? 'the Origin is not this simulator'
      : undefined
  if (foreign !== undefined)
    return forbidden(`${foreign}; the control plane only accepts its own pages and programs`)
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token === undefined || isHealth(req) || [bearer, own].some((one) => isSame(String(one ?? ''), token)))
    return undefined
  return {
    status: 401,
    case: 'unauthenticated',
    reason:
      'Unauthorized: the admin token is missing or wrong (Authorization: Bearer TOKEN, or X-Admin-Token: TOKEN)',
    headers: { 'www-authenticate': 'Bearer' },
  }
}

const bySite = 'the browser says that the request comes from another site (Sec-Fetch-Site)'

function forbidden(reason: string): GuardRefusal {
  return { status: 403, case: 'foreign-page', reason: `Forbidden: ${reason}` }
}

function isForeignSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

function isOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const own = new URL(origin)
  const here = `${own.protocol}//${host}`
  return own.origin === origin && URL.canParse(here) && own.host === new URL(here).host
}

function isHealth({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /^\/__admin\/health\/?(?:\?|$)/i.test(url)
}

/**
 * Lets pages of the given origins use `/api`, and nothing else. Clients set the Authorization header themselves, so
 * neither the browser's credentials nor `*` as origin are ever allowed.
 * @returns whether the request may go on: a preflight is answered here
 */
function corsGuard(
  { method, headers }: IncomingMessage,
  res: Response,
  origins: readonly string[],
  { operations }: Contract,
): boolean {
  res.setHeader('vary', 'Origin')
  const { origin } = headers
  if (origin === undefined || !origins.includes(origin)) return true
  res.setHeader('access-control-allow-origin', origin)
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    res.setHeader('access-control-expose-headers', 'Sim-Case, Sim-Reason, Date')
    return true
  }
  res.writeHead(204, {
    'access-control-allow-methods': [...new Set(operations.map((one) => one.method))].join(', '),
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-max-age': '600',
  })
  res.end()
  return false
}

/** @throws UserError if the text isn't an origin */
function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && url.origin !== 'null' && (text === url.origin || text === `${url.origin}/`)) return url.origin
  throw new UserError(
    `${JSON.stringify(text)} is not an origin. Use scheme, host and port only: --cors http://localhost:3000`,
  )
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * The address to bind to, which requires a token beyond loopback, as others can reach it then. A name is looked up
 * once, so that the address that was checked is the one that is bound.
 * @throws UserError
 */
export async function requireToken(host: string, adminToken: string | undefined): Promise<string> {
  const address = isIP(host) ? host : await addressOf(host)
  if (adminToken !== undefined || loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'))
    return address
  throw new UserError(
    `The host ${host} can be reached by others, who could use the control plane. Set a token with --admin-token, or bind to 127.0.0.1.`,
  )
}

async function addressOf(host: string): Promise<string> {
  if (host === '') throw new UserError('The host is empty. Use a name or an address: --host 127.0.0.1')
  const found = await lookup(host).catch((cause: NodeJS.ErrnoException) => {
    throw new UserError(
      `The host ${host} is not known (${cause.code}). Use a name or an address of this machine.`,
      { cause },
    )
  })
  return found.address
}

/** Whether a path, or a URL without a host, belongs to the simulated API; case-insensitive, like Express. */
export function isApi(path: string): boolean {
  return /^\/api(?:[/?]|$)/i.test(path)
}

/** Whether it belongs to the control plane. */
export function isAdmin(path: string): boolean {
  return /^\/__admin(?:[/?]|$)/i.test(path)
}

/** How often a header was sent: Node joins or drops duplicates. `rawHeaders` alternates names and values. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string
    if (raw.length === name.length && raw.toLowerCase() === name) count++
  }
  return count
}
