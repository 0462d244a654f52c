import type { ContractOperation } from '../contract/Contract.ts'
import type { Validator, Violation } from '../contract/validator/createValidator.ts'
import type { World } from '../world/World.ts'
import type { Credentials } from './authenticate.ts'
import type { ParsedBody } from './parseBody.ts'
import type { WireRequest } from './Wire.ts'

/** A request on its way through the pipeline: each stage adds its result. */
export interface RequestContext {
  request: WireRequest
  /** `performance.now()` when the request arrived */
  started: number
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

  /** Only for /api */
  credentials: Credentials | undefined
  /** The account that it reaches, if it is let in */
  login: string | undefined
  /** The account's world when the request arrived: one that is put in its place since isn't changed */
  seen: World | undefined
}
