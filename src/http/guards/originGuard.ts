import type { IncomingMessage } from 'node:http'
import type { Guard } from './Guard.ts'
import { isAdmin, isApi } from './paths.ts'

/**
 * Keeps out foreign web pages: browsers name the page's site (`Sec-Fetch-Site`) and origin (`Origin`), programs neither. The
 * control plane accepts its own pages. `/api` accepts pages of this origin and of those that `--cors` names: a mere link
 * to it changes state, as some of its GETs do.
 * @param cors the origins that may use `/api`
 */
export function originGuard(cors: readonly string[]): Guard {
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
