import type { Request, RequestHandler } from 'express'
import { isSame } from '../authenticate.ts'
import { UserError } from '../../UserError.ts'
import { isAdmin } from './isUnder.ts'
import { refuseRequest } from './refuseRequest.ts'

/**
 * Demands the token on the control plane, as `Authorization: Bearer TOKEN` or `X-Admin-Token: TOKEN`. `GET
 * /__admin/health` stays open: health checks of containers know no token, and it tells no more than version and scenario.
 * @throws UserError where no header could carry the token
 */
export function tokenGuard(token: string): RequestHandler {
  if (!/^[\u0021-\u007e]+$/.test(token))
    throw new UserError(
      'The admin token must be printable ASCII without spaces, one character at least (--admin-token).',
    )
  return (req, res, next) => {
    if (!isAdmin(req.path) || isHealth(req) || given(req).some((one) => isSame(one, token))) return next()
    res.setHeader('www-authenticate', 'Bearer')
    refuseRequest(
      req,
      res,
      {
        status: 401,
        case: 'admin-token',
        reason:
          'Unauthorized: the admin token is missing or wrong (Authorization: Bearer TOKEN, or X-Admin-Token: TOKEN)',
      },
      false,
    )
  }
}

function isHealth({ method, path }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && /^\/__admin\/health\/?$/i.test(path)
}

function given({ headers }: Request): string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const own = headers['x-admin-token']
  return [bearer, own].filter((one) => typeof one === 'string')
}
