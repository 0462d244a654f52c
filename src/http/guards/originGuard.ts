import type { Request, RequestHandler } from 'express'
import { isAdmin } from './isUnder.ts'
import { refuseRequest } from './refuseRequest.ts'

/**
 * The control plane is for its own pages and for programs, never for the pages of others: a browser tells whose page
 * asks (`Origin`, `Sec-Fetch-Site`), a program says neither. An address as origin is judged like any other.
 */
export function originGuard(): RequestHandler {
  return (req, res, next) => {
    const reason = isAdmin(req.path) ? foreign(req) : undefined
    if (reason === undefined) next()
    else
      refuseRequest(
        req,
        res,
        {
          status: 403,
          case: 'foreign-origin',
          reason: `Forbidden: ${reason}; the control plane answers its own pages and programs only`,
        },
        false,
      )
  }
}

function foreign(req: Request): string | undefined {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return 'the browser says that another site asks (Sec-Fetch-Site)'
  const origin = req.headers.origin
  // The Host is one of ours by now. Behind a proxy the scheme may differ, name and port may not.
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
