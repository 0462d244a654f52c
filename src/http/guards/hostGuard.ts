import type { IncomingMessage } from 'node:http'
import { readTarget } from '../../lib/http.ts'
import { UserError } from '../../lib/UserError.ts'
import { countHeader } from '../countHeader.ts'
import type { Guard, GuardRefusal } from './Guard.ts'

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
    reason: `Misdirected Request: this simulator does not answer to the host ${name.slice(0, 253)}. If that is its name, start it with --allowed-host ${name.slice(0, 253)}`,
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
