import type { ContractOperation } from '../contract/Contract.ts'
import type { Validator, Violation } from '../contract/validator/createValidator.ts'
import type { Instant } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Credentials } from './authenticate.ts'
import type { ParsedBody } from './parseBody.ts'
import type { WireRequest } from './Wire.ts'

/** A request on its way through the pipeline: each stage adds its result. */
export interface RequestContext {
  request: WireRequest
  /** `performance.now()` when the request arrived */
  started: number
  /** The store's moment when the request arrived */
  moment: number
  validator: Validator
  /** Path without the query, not decoded */
  pathname: string
  /** Without the `?` */
  query: string | undefined
  operation: ContractOperation | undefined
  /** The methods of the path, if the contract has the path but not the method */
  allow: readonly string[] | undefined
  path: Record<string, string>
  body: ParsedBody | undefined
  violations: readonly Violation[]

  // Only for /api. Everything after `credentials` is set by the step, again each time it runs.
  credentials: Credentials | undefined
  account: { login: string; world: World } | undefined
  /** The world's version before the request */
  version: number | null
  /** By the account's clock */
  now: Instant
  fault: Fault | undefined
  change: WorldChange | undefined
}
