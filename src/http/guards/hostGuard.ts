import type { Request, RequestHandler } from 'express'
import { countHeader } from '../countHeader.ts'
import { hostName } from './hostName.ts'
import { UserError } from '../../UserError.ts'
import { refuseRequest, type GuardRefusal } from './refuseRequest.ts'

export interface HostGuardOptions {
  /** The host that the server binds to */
  host: string
  /** Other accepted names */
  allowedHosts: readonly string[]
  explain: boolean
}

const always = ['localhost', '127.0.0.1', '[::1]']

/**
 * Only accepts known host names. A web page can point its own name at 127.0.0.1 and then has the same origin as the
 * simulator (DNS rebinding); only the Host header gives it away. So this applies to every path.
 * @throws UserError if an allowed host isn't a host name
 */
export function hostGuard({ host, allowedHosts, explain }: HostGuardOptions): RequestHandler {
  const known = new Set([
    ...always,
    hostName(host.includes(':') ? `[${host}]` : host),
    ...allowedHosts.map(readAllowed),
  ])
  return (req, res, next) => {
    const refusal = judge(req, known)
    if (refusal) refuseRequest(req, res, refusal, explain)
    else next()
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

function judge(req: Request, known: ReadonlySet<string | undefined>): GuardRefusal | undefined {
  // An absolute-form target takes precedence over the Host header (RFC 9112); for other hosts, only proxies accept one.
  if (!req.url.startsWith('/')) {
    const [, host, path] = /^http:\/\/([^/?#]*)(.*)$/i.exec(req.url) ?? []
    const name = host === undefined ? undefined : hostName(host)
    if (name === undefined || !known.has(name)) return bad(asProxy)
    req.url = req.originalUrl = path?.startsWith('/') ? path : `/${path}`
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
    reason: `Misdirected Request: this simulator does not answer to the host ${name.slice(0, 253)}. If that is its name, start it with --allowed-host ${name.slice(0, 253)}`,
  }
}

const asProxy = 'the request target must be a path; is this address set as an HTTP proxy somewhere?'

function bad(reason: string): GuardRefusal {
  return { status: 400, case: 'bad-host', reason: `Bad Request: ${reason}` }
}
