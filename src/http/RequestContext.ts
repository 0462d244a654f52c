import type { ContractOperation } from '../contract/Contract.ts'
import type { Observations } from '../Simulation.ts'
import type { Instant } from '../world/time.ts'
import type { Fault } from '../world/World.ts'
import type { Authenticated } from './authenticate.ts'
import type { ParsedBody } from './parseBody.ts'
import type { WireRequest } from './Wire.ts'

/** What is found out on the way; the entry in the journal is made of it. */
export interface RequestContext {
  request: WireRequest
  observations: Observations
  started: number
  operation: ContractOperation | undefined
  path: Record<string, string>
  account: Authenticated | undefined
  /** By the account's clock */
  now: Instant
  body: ParsedBody | undefined
  /** What in the request breaks the contract */
  violations: string[]
  fault: Fault | undefined
  change: unknown
}
