import { Router, type RequestHandler } from 'express'
import type { Contract } from '../../contract/Contract.ts'
import { UserError } from '../../lib/UserError.ts'

/**
 * Lets pages of the given origins use `/api`, and nothing else. Clients set the Authorization header themselves, so
 * neither the browser's credentials nor `*` as origin are ever allowed.
 */
export function corsGuard(origins: readonly string[], { operations }: Contract): RequestHandler {
  const methods = [...new Set(operations.map(({ method }) => method))].join(', ')
  return Router().use('/api', (req, res, next) => {
    res.setHeader('vary', 'Origin')
    const { origin } = req.headers
    if (origin === undefined || !origins.includes(origin)) return next()
    res.setHeader('access-control-allow-origin', origin)
    const requestedHeaders = req.headers['access-control-request-headers']
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      res.setHeader('access-control-expose-headers', 'Sim-Case, Sim-Reason, Date')
      return next()
    }
    res.setHeader('access-control-allow-methods', methods)
    if (requestedHeaders !== undefined) res.setHeader('access-control-allow-headers', requestedHeaders)
    res.setHeader('access-control-max-age', '600')
    res.writeHead(204).end()
  })
}

/** @throws UserError if the text isn't an origin */
export function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && url.origin !== 'null' && (text === url.origin || text === `${url.origin}/`)) return url.origin
  throw new UserError(
    `${JSON.stringify(text)} is not an origin. Use scheme, host and port only: --cors http://localhost:3000`,
  )
}
