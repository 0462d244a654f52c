import { hash, timingSafeEqual } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { URL } from 'node:url'
import type { Request, Response } from 'express'
import type { Contract } from '../contract/Contract.ts'
import type { RefusedRequests } from '../journal/RefusedRequests.ts'
import { headerText, checkAdminToken, isAdmin, isApi } from '../lib/http.ts'
import { UserError } from '../lib/UserError.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import { summarizeRequest } from './refusals.ts'

/** Checks every request before routing, and responds to those that it refuses. @returns whether the request may continue */
export type RequestCheck = (req: Request, res: Response) => boolean

/** Creates the check of every request before routing. @throws UserError if an option is invalid */
export function createGuards(
  options: SimulatorOptions,
  contract: Contract,
  refused: Pick<RefusedRequests, 'add'>,
): RequestCheck {
  const { host = '127.0.0.1', allowedHosts = [], adminToken, cors = [], explain = true } = options
  const origins = cors.flatMap(parseOrigin)
  const methods = [...new Set(contract.operations.map(({ method }) => method))].join(', ')
  const checkHost = hostGuard(host, allowedHosts)
  if (adminToken !== undefined) checkAdminToken(adminToken)
  return (req, res) => {
    const hostRefusal = checkHost(req)
    const isForApi = isApi(req.url)
    if (!isForApi) res.set(securityHeaders) // the API must look like the real service
    const refusal =
      hostRefusal ??
      codingGuard(req) ??
      (isForApi ? apiGuard(req, origins) : isAdmin(req.url) ? adminGuard(req, adminToken) : undefined)
    if (!refusal) return !isForApi || origins.length === 0 || !applyCors(req, res, origins, methods)
    refused.add(summarizeRequest(req), refusal.status, refusal.reason)
    // The end of a body with an unknown coding is unknown.
    if (refusal.case === 'transfer-encoding') res.shouldKeepAlive = false
    res.status(refusal.status).set('cache-control', 'no-store')
    if (refusal.status === 401) res.set('www-authenticate', 'Bearer')
    if (explain && isForApi) res.set({ 'sim-case': refusal.case, 'sim-reason': headerText(refusal.reason) })
    res.json({ error: refusal.reason })
    return false
  }
}

/** The default policy; pages that need more set their own. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Returns the refusal of a request before routing, if any. */
type Guard = (req: IncomingMessage) => GuardRefusal | undefined

interface GuardRefusal {
  status: number
  case: string
  reason: string
}

/**
 * Accepts requests whose Host is an address, localhost, or a known name. A web page can point its own name at 127.0.0.1
 * and then has the same origin as the simulator (DNS rebinding); only the Host header gives it away. So the guard applies
 * to every path except the health check, which probes may request under any name.
 * @param host the host that the server binds to
 * @param allowedHosts other accepted names; `.example.com` includes its subdomains
 * @throws UserError if an allowed host isn't a host name
 */
export function hostGuard(host: string, allowedHosts: readonly string[]): Guard {
  const names = ['localhost', hostName(host), ...allowedHosts.map(parseAllowedHost)]
  const isKnown = (name: string): boolean =>
    isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 ||
    names.some((allowed) => allowed === name || (allowed?.startsWith('.') && `.${name}`.endsWith(allowed)))
  let accepted: string | undefined // nearly all requests have the same Host
  return (req) => {
    const isAbsolute = !req.url?.startsWith('/') && convertAbsoluteForm(req)
    const { url, headers, httpVersion } = req
    if (!url?.startsWith('/')) return badRequest('the request target must be a path that begins with /')
    if (accepted !== undefined && headers.host === accepted) return undefined
    if (isHealth(req)) return undefined
    if (headers.host === undefined)
      return httpVersion === '1.1' ? badRequest('there is no Host header') : undefined
    const name = hostName(headers.host)
    if (name === undefined) {
      const source = isAbsolute ? 'the authority in the request target' : 'the Host header'
      return badRequest(`${source} is not a host name`)
    }
    if (isKnown(name)) {
      accepted = headers.host
      return undefined
    }
    const shownName = name.slice(0, 253)
    const hint = isAbsolute ? 'Is this address set as an HTTP proxy somewhere? ' : ''
    return {
      status: 421,
      case: 'host-not-allowed',
      reason: `Misdirected Request: this simulator does not serve the host ${shownName}. ${hint}If that is its name, start it with --allowed-host ${shownName}`,
    }
  }
}

/** Converts an absolute target (RFC 9112 §3.2.2) to a path and a Host. @returns whether it was absolute */
function convertAbsoluteForm(req: IncomingMessage & { originalUrl?: string }): boolean {
  const [, authority, target] = /^https?:\/\/([^/?#]+)([^#]*)/i.exec(req.url ?? '') ?? []
  if (authority === undefined) return false
  req.headers.host = authority
  req.url = target?.startsWith('/') ? target : `/${target}`
  if (req.originalUrl !== undefined) req.originalUrl = req.url
  return true
}

/** Node only decodes `chunked`. */
function codingGuard({ headers }: IncomingMessage): GuardRefusal | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return undefined
  const reason = `Not Implemented: the Transfer-Encoding ${coding || '""'} is not supported, only chunked. To compress a body, use Content-Encoding.`
  return { status: 501, case: 'transfer-encoding', reason }
}

function badRequest(reason: string): GuardRefusal {
  return { status: 400, case: 'bad-host', reason: `Bad Request: ${reason}` }
}

function parseAllowedHost(text: string): string {
  const [, dot = '', name = ''] = /^(\.?)(.*)$/s.exec(text) ?? []
  const host = name.startsWith('.') ? undefined : hostName(name)
  if (host !== undefined) return dot + host
  throw new UserError(`The allowed host ${JSON.stringify(text)} is not a host name.`, {
    advice:
      'Use a name without scheme and path, such as sim.example. A leading dot includes its subdomains: .sim.example',
    options: ['allowedHosts'],
  })
}

/**
 * The name in a Host header or an option, without the port and normalized as in URLs: in lower case, IPv6 addresses in brackets
 * and shortened, international names in ASCII.
 * @returns undefined if the text isn't a host
 */
export function hostName(text: string): string | undefined {
  const address = isIP(text) === 6 ? `[${text}]` : text.replace(/%(?:25)?[\w.-]+(?=\])/, '') // without a zone
  const url = `http://${address}`
  if (!/^[\p{L}\p{M}\p{N}_.:[\]-]+$/u.test(address) || !URL.canParse(url)) return undefined
  return new URL(url).hostname.replace(/\.$/, '')
}

/*
 * Keeps foreign web pages out. Browsers send a page's site (`Sec-Fetch-Site`) and origin (`Origin`); programs send neither.
 * Over plain HTTP to a name other than localhost, browsers send only the origin, and only for scripts and forms.
 */

function isForeignPage({ headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  // The Host was checked before. Behind a proxy, only the scheme may differ.
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host
}

function foreignPage(reason: string): GuardRefusal {
  return { status: 403, case: 'foreign-page', reason: `Forbidden: the page is from another site; ${reason}` }
}

/** Keeps foreign web pages out of a server that only programs use. */
export const pageGuard: Guard = (req) =>
  isForeignPage(req) ? foreignPage('only programs may send requests here') : undefined

/**
 * `/api` accepts pages of this origin and of the origins in `--cors`. Even a link from another page must not reach it, because some
 * of its GETs change state.
 */
function apiGuard(req: IncomingMessage, origins: readonly string[]): GuardRefusal | undefined {
  const { origin } = req.headers
  if (!isForeignPage(req) || (origin !== undefined && origins.includes(origin))) return undefined
  if (origin === 'null')
    return foreignPage(
      'it has no origin, like a sandboxed frame or a local file; serve it from an origin, and allow that with --cors',
    )
  if (origin === undefined)
    return foreignPage(
      'it sent no Origin, like a link or an image. To let scripts of an origin use the API, start the simulator with --cors ORIGIN',
    )
  // Browsers send origins in ASCII. A header with other characters is not decoded.
  const sent = /^[ -~]*$/.test(origin) ? originTexts(origin).at(-1) : undefined
  if (sent === undefined) return foreignPage('its Origin is not an origin that --cors can allow')
  const exactly = sent === origin ? '' : `, and send that as the Origin, as browsers do, instead of ${origin}`
  return foreignPage(
    `to let pages of an origin use the API, start the simulator with --cors ${sent}${exactly}`,
  )
}

/**
 * The control plane accepts its own pages, and requires the token if one is set, as `Authorization: Bearer TOKEN` or
 * `X-Admin-Token: TOKEN`. The health check needs no token, for containers; it reveals only version and scenario.
 */
function adminGuard(req: IncomingMessage, token: string | undefined): GuardRefusal | undefined {
  const { authorization = '', 'x-admin-token': adminHeader } = req.headers
  if (isForeignPage(req)) return foreignPage('the control plane only accepts its own pages and programs')
  const sent = adminHeader ?? /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
  if (token === undefined || isHealth(req) || isSame(String(sent), token)) return undefined
  return {
    status: 401,
    case: 'unauthenticated',
    reason:
      'Unauthorized: the admin token is missing or wrong (Authorization: Bearer TOKEN, or X-Admin-Token: TOKEN)',
  }
}

function isHealth({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /^\/__admin\/health\/?(?:\?|$)/i.test(url)
}

/** Compares in constant time, even if the lengths differ. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}

/**
 * Lets pages of the given origins use `/api`, and nothing else. Clients set the Authorization header themselves, so
 * neither the browser's credentials nor `*` as origin are ever allowed.
 * @returns whether it answered the request, because that was a preflight request
 */
function applyCors(
  { method, headers }: IncomingMessage,
  res: ServerResponse,
  origins: readonly string[],
  methods: string,
): boolean {
  res.setHeader('vary', 'Origin')
  const { origin } = headers
  if (origin === undefined || !origins.includes(origin)) return false
  res.setHeader('access-control-allow-origin', origin)
  res.setHeader('access-control-expose-headers', 'Sim-Case, Sim-Reason, Date, Retry-After')
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  res.writeHead(204, {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-max-age': '600',
  })
  res.end()
  return true
}

/** @throws UserError if the text isn't an origin */
function parseOrigin(text: string): string[] {
  const texts = originTexts(text)
  if (texts.length > 0) return texts
  const [problem, advice] = text.includes('*')
    ? ['contains a *.', 'Name each origin in full: http://localhost:3000, http://localhost:5173']
    : ['is not an origin.', 'Use scheme, host and port only: http://localhost:3000']
  throw new UserError(`The CORS origin ${JSON.stringify(text)} ${problem}`, { advice, options: ['cors'] })
}

/** The Origin headers that mean an origin: the text itself and, if it differs, what browsers send for it. Empty if it isn't one. */
function originTexts(text: string): string[] {
  const origin = text.replace(/(?<=[^/])\/$/, '')
  if (!/^[a-z][a-z\d+.-]*:\/\/[\p{L}\p{M}\p{N}_.:[\]-]*$/iu.test(origin) || !URL.canParse(origin)) return []
  // Browsers send web origins in lower case, in ASCII and without a default port, and those of apps (tauri://localhost) unchanged.
  const { origin: normalized } = new URL(origin)
  return normalized === 'null' ? [origin] : [...new Set([origin, normalized])]
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Resolves the address to bind to. An address other than loopback requires a token, because other machines can reach it. A
 * name is looked up once, so that the checked address is the bound one.
 * @param tokenOption the option that sets the token
 * @param risk completes the message `The host … can be reached by others, who …`
 * @throws UserError
 */
export async function resolveAddress(
  host: string,
  token: string | undefined,
  tokenOption = 'adminToken',
  risk = 'could use the control plane',
): Promise<string> {
  const failUnknown = (cause?: unknown): never => {
    throw new UserError(`The host ${JSON.stringify(host)} is not known.`, {
      advice: 'Use a name or an address of this machine, such as 127.0.0.1',
      options: ['host'],
      cause,
    })
  }
  const resolved = host === '' ? failUnknown() : await lookup(host).catch(failUnknown)
  if (token !== undefined || loopback.check(resolved.address, resolved.family === 6 ? 'ipv6' : 'ipv4'))
    return resolved.address
  throw new UserError(`The host ${host} can be reached by others, who ${risk}.`, {
    advice: 'Bind to 127.0.0.1, or set a token.',
    options: ['host', tokenOption],
  })
}
