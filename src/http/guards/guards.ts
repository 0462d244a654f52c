import type { RequestHandler } from 'express'
import type { Contract } from '../../contract/Contract.ts'
import { headerText } from '../../lib/http.ts'
import { corsGuard, readOrigin } from './corsGuard.ts'
import type { Guard } from './Guard.ts'
import { hostGuard } from './hostGuard.ts'
import { originGuard } from './originGuard.ts'
import { isApi } from './paths.ts'
import { tokenGuard } from './tokenGuard.ts'

export interface GuardOptions {
  host: string
  allowedHosts: readonly string[]
  adminToken: string | undefined
  cors: readonly string[]
  explain: boolean
  contract: Contract
}

/** The middleware that checks every request before any route. @throws UserError */
export function guards(options: GuardOptions): RequestHandler[] {
  const { host, allowedHosts, adminToken, explain, contract } = options
  const cors = options.cors.map(readOrigin)
  const all = [
    hostGuard(host, allowedHosts),
    originGuard(cors),
    ...(adminToken === undefined ? [] : [tokenGuard(adminToken)]),
  ]
  return [securityHeaders, guarded(all, explain), ...(cors.length === 0 ? [] : [corsGuard(cors, contract)])]
}

/** @param explain whether refusals under `/api` have the headers that explain every error there */
function guarded(all: readonly Guard[], explain: boolean): RequestHandler {
  return (req, res, next) => {
    for (const guard of all) {
      const refusal = guard(req)
      if (!refusal) continue
      const { status, case: name, reason, headers } = refusal
      res.status(status).set({ 'cache-control': 'no-store', ...headers })
      if (explain && isApi(req.url)) res.set({ 'sim-case': name, 'sim-reason': headerText(reason) })
      return void res.json({ error: reason })
    }
    next()
  }
}

/** Pages that need more set their own policy. */
const securityPolicy = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Security headers for everything except `/api`, which must look like the real service. */
const securityHeaders: RequestHandler = (req, res, next) => {
  if (!isApi(req.path)) for (const [name, value] of Object.entries(securityPolicy)) res.setHeader(name, value)
  next()
}
