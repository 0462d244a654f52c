import type { ContractOperation } from '../contract/Contract.ts'
import type { Validator, Violation } from '../contract/validator/createValidator.ts'
import type { Instant } from '../world/time.ts'
import type { Fault, World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Credentials } from './authenticate.ts'
import type { ParsedBody } from './parseBody.ts'
import type { WireRequest } from './Wire.ts'

/** What is found out about a request on its way through the pipeline. */
export interface RequestContext {
  request: WireRequest
  /** `performance.now()` when it came */
  started: number
  /** The store's moment when it came */
  moment: number
  validator: Validator
  /** Path without the query, as it came */
  pathname: string
  /** Behind the `?` */
  query: string | undefined
  operation: ContractOperation | undefined
  /** The path is in the contract, but not with this method; these are. */
  allow: readonly string[] | undefined
  path: Record<string, string>
  body: ParsedBody | undefined
  /** What in the request breaks the contract */
  violations: readonly Violation[]

  // Of /api; what follows `credentials` is set by the step that looks at the world, anew each time it runs.
  credentials: Credentials | undefined
  account: { login: string; world: World } | undefined
  /** The world's version that the request met */
  version: number | null
  /** By the account's clock */
  now: Instant
  fault: Fault | undefined
  change: WorldChange | undefined
}
