import type { Request, RequestHandler } from 'express'
import { isAdmin } from './paths.ts'
import { refuseRequest } from './refuseRequest.ts'

/**
 * The control plane accepts its own pages and programs, but no other web pages. Browsers send the page's origin
 * (`Origin`, `Sec-Fetch-Site`), programs send neither.
 */
export const originGuard: RequestHandler = (req, res, next) => {
  const reason = isAdmin(req.path) ? foreign(req) : undefined
  if (reason === undefined) next()
  else
    refuseRequest(res, 403, `Forbidden: ${reason}; the control plane only accepts its own pages and programs`)
}

function foreign(req: Request): string | undefined {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return 'the browser says that the request comes from another site (Sec-Fetch-Site)'
  const origin = req.headers.origin
  // The Host was checked before. Behind a proxy, only the scheme may differ.
  return origin !== undefined && !isOf(origin, req.headers.host ?? '')
    ? 'the Origin is not this simulator'
    : undefined
}

function isOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const own = new URL(origin)
  const here = `${own.protocol}//${host}`
  return own.origin === origin && URL.canParse(here) && own.host === new URL(here).host
}
