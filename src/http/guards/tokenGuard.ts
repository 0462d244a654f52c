import type { IncomingMessage } from 'node:http'
import { checkAdminToken } from '../../lib/http.ts'
import { isSame } from '../authenticate.ts'
import type { Guard } from './Guard.ts'
import { isAdmin } from './paths.ts'

/**
 * Requires the token for the control plane, as `Authorization: Bearer TOKEN` or `X-Admin-Token: TOKEN`. `GET
 * /__admin/health` stays open for health checks of containers; it only reveals version and scenario.
 * @throws UserError if no header can contain the token
 */
export function tokenGuard(token: string): Guard {
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
