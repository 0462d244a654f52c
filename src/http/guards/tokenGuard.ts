import type { Request, RequestHandler } from 'express'
import { isSame } from '../authenticate.ts'
import { checkAdminToken } from '../../checkAdminToken.ts'
import { isAdmin } from './paths.ts'
import { refuseRequest } from './refuseRequest.ts'

/**
 * Requires the token for the control plane, as `Authorization: Bearer TOKEN` or `X-Admin-Token: TOKEN`. `GET
 * /__admin/health` stays open for health checks of containers; it only reveals version and scenario.
 * @throws UserError if no header can contain the token
 */
export function tokenGuard(token: string): RequestHandler {
  checkAdminToken(token)
  return (req, res, next) => {
    if (!isAdmin(req.path) || isHealth(req) || tokensOf(req).some((one) => isSame(one, token))) return next()
    res.setHeader('www-authenticate', 'Bearer')
    refuseRequest(
      res,
      401,
      'Unauthorized: the admin token is missing or wrong (Authorization: Bearer TOKEN, or X-Admin-Token: TOKEN)',
    )
  }
}

function isHealth({ method, path }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && /^\/__admin\/health\/?$/i.test(path)
}

function tokensOf({ headers }: Request): string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const own = headers['x-admin-token']
  return [bearer, own].filter((one) => typeof one === 'string')
}
