import type { RequestHandler } from 'express'
import type { Contract } from '../../contract/Contract.ts'
import { corsGuard } from './corsGuard.ts'
import { hostGuard } from './hostGuard.ts'
import { originGuard } from './originGuard.ts'
import { securityHeaders } from './securityHeaders.ts'
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
export function guards({
  host,
  allowedHosts,
  adminToken,
  cors,
  explain,
  contract,
}: GuardOptions): RequestHandler[] {
  return [
    securityHeaders,
    hostGuard(host, allowedHosts, explain),
    originGuard,
    ...(adminToken === undefined ? [] : [tokenGuard(adminToken)]),
    ...(cors.length === 0 ? [] : [corsGuard(cors, contract)]),
  ]
}
