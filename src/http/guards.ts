import type { Request, Response } from 'express'
import type { Contract } from '../contract/Contract.ts'
import { headerText, readTarget, checkAdminToken } from '../lib/http.ts'
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
  const preflight = cors.length > 0 ? corsGuard(cors, contract) : undefined
  const all = [
    hostGuard(host, allowedHosts),
    originGuard(cors),
    ...(adminToken === undefined ? [] : [tokenGuard(adminToken)]),
  ]
  return (req, res) => {
    // The API must look like the real service.
    if (!isApi(req.path)) for (const [name, value] of securityHeaders) res.setHeader(name, value)
    for (const guard of all) {
      const refusal = guard(req)
      if (refusal) return refuse(res, refusal, explain && isApi(req.url))
    }
    return !preflight || !isApi(req.url) || preflight(req, res)
  }
}

/** @param explains whether it has the headers that explain every error under `/api` */
function refuse(
  res: Response,
  { status, case: name, reason, headers }: GuardRefusal,
  explains: boolean,
): false {
  res.status(status).set({ 'cache-control': 'no-store', ...headers })
  if (explains) res.set({ 'sim-case': name, 'sim-reason': headerText(reason) })
  res.json({ error: reason })
  return false
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
  return (req) => judge(req, known)
}

function readAllowed(name: string): string {
  const known = hostName(name)
  if (known === undefined)
    throw new UserError(
      `The allowed host ${JSON.stringify(name)} is not a host name. Use a name or an address without scheme and path: --allowed-host sim.example`,
    )
  return known
}

function judge(
  req: IncomingMessage & { originalUrl?: string },
  known: ReadonlySet<string>,
): GuardRefusal | undefined {
  // An absolute-form target takes precedence over the Host header (RFC 9112); for other hosts, only proxies accept one.
  if (!req.url?.startsWith('/')) {
    const { scheme, host = '', path } = readTarget(req.url ?? '')
    const name = scheme === 'http' ? hostName(host) : undefined
    if (name === undefined || !known.has(name)) return bad(asProxy)
    req.url = req.originalUrl = path
  }
  const hosts = countHeader(req.rawHeaders, 'host')
  if (hosts > 1) return bad(`there are ${hosts} Host headers; there must be one`)
  const header = req.headers.host
  if (header === undefined)
    // HTTP/1.0 has none, and browsers don't use it
    return req.httpVersion === '1.0' ? undefined : bad('there is no Host header')
  const name = hostName(header)
  if (name === undefined) return bad('the Host header is not a host name')
  if (known.has(name)) return undefined
  return {
    status: 421,
    case: 'host-not-allowed',
    reason: `Misdirected Request: this simulator does not serve the host ${name.slice(0, 253)}. If that is its name, start it with --allowed-host ${name.slice(0, 253)}`,
  }
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

/**
 * Keeps out foreign web pages: browsers name the page's site (`Sec-Fetch-Site`) and origin (`Origin`), programs neither. The
 * control plane accepts its own pages. `/api` accepts pages of this origin and of those that `--cors` names: a mere link
 * to it changes state, as some of its GETs do.
 * @param cors the origins that may use `/api`
 */
function originGuard(cors: readonly string[]): Guard {
  return (req) => {
    const { origin } = req.headers
    const url = req.url ?? ''
    if (isApi(url))
      return isForeignSite(req) && !(origin !== undefined && cors.includes(origin))
        ? forbidden(
            `${bySite}; to let pages of an origin use the API, start the simulator with --cors ${origin ?? 'ORIGIN'}`,
          )
        : undefined
    if (!isAdmin(url)) return undefined
    const reason = isForeignSite(req)
      ? bySite
      : // The Host was checked before. Behind a proxy, only the scheme may differ.
        origin !== undefined && !isOf(origin, req.headers.host ?? '')
        ? 'the Origin is not this simulator'
        : undefined
    return reason === undefined
      ? undefined
      : forbidden(`${reason}; the control plane only accepts its own pages and programs`)
  }
}

/** Keeps foreign web pages out of a server that accepts programs alone. */
export const pageGuard: Guard = (req) =>
  isForeignSite(req) ? forbidden(`${bySite}; only programs may send any here`) : undefined

const bySite = 'the browser says that the request comes from another site (Sec-Fetch-Site)'

function forbidden(reason: string): ReturnType<Guard> {
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

/**
 * Requires the token for the control plane, as `Authorization: Bearer TOKEN` or `X-Admin-Token: TOKEN`. `GET
 * /__admin/health` stays open for health checks of containers; it only reveals version and scenario.
 * @throws UserError if no header can contain the token
 */
function tokenGuard(token: string): Guard {
  checkAdminToken(token)
  return (req) => {
    if (!isAdmin(req.url ?? '') || isHealth(req) || tokensOf(req).some((one) => isSame(one, token)))
      return undefined
    return {
      status: 401,
      case: 'unauthenticated',
      reason:
        'Unauthorized: the admin token is missing or wrong (Authorization: Bearer TOKEN, or X-Admin-Token: TOKEN)',
      headers: { 'www-authenticate': 'Bearer' },
    }
  }
}

function isHealth({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /^\/__admin\/health\/?(?:\?|$)/i.test(url)
}

function tokensOf({ headers }: IncomingMessage): string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const own = headers['x-admin-token']
  return [bearer, own].filter((one) => typeof one === 'string')
}

/**
 * Lets pages of the given origins use `/api`, and nothing else. Clients set the Authorization header themselves, so
 * neither the browser's credentials nor `*` as origin are ever allowed.
 */
function corsGuard(origins: readonly string[], { operations }: Contract): Admission {
  const methods = [...new Set(operations.map(({ method }) => method))].join(', ')
  return ({ method, headers }, res) => {
    res.setHeader('vary', 'Origin')
    const { origin } = headers
    if (origin === undefined || !origins.includes(origin)) return true
    res.setHeader('access-control-allow-origin', origin)
    const requestedHeaders = headers['access-control-request-headers']
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      res.setHeader('access-control-expose-headers', 'Sim-Case, Sim-Reason, Date')
      return true
    }
    res.setHeader('access-control-allow-methods', methods)
    if (requestedHeaders !== undefined) res.setHeader('access-control-allow-headers', requestedHeaders)
    res.setHeader('access-control-max-age', '600')
    res.writeHead(204).end()
    return false
  }
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
  if (adminToken !== undefined || isLoopback(address)) return address
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

function isLoopback(address: string): boolean {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1]
  return loopback.check(mapped ?? address, isIP(mapped ?? address) === 6 ? 'ipv6' : 'ipv4')
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
