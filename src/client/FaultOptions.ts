import type { CaseName, CaseOf, OperationId } from '../contract/cases.gen.ts'
import type { Drop, FaultPhase } from '../world/values.ts'

/** The cases that every operation has, and that `*` can therefore respond with. */
export type CommonCase = {
  [Case in CaseName]: OperationId extends OperationsWith<Case> ? Case : never
}[CaseName]

type OperationsWith<Case extends CaseName> = {
  [Op in OperationId]: Case extends CaseOf<Op> ? Op : never
}[OperationId]

/** A custom response. */
export interface CustomAnswer {
  /** 200 to 599 */
  status: number
  /** A string is sent as text, anything else as JSON. @default no body */
  body?: unknown
  headers?: Record<string, string>
}

/**
 * Deliberate misbehaviour of one operation, or of all (`*`). At least one of `respond`, `delay` and `drop` is required.
 * @example
 * { operation: 'orderService', respond: 'insufficient-funds', times: 1 }
 * @example
 * { operation: '*', delay: 2000, probability: 0.1 }
 */
export interface FaultOptions<Op extends OperationId | '*' = OperationId | '*'> {
  /** An operationId, or `*` for all */
  operation: Op
  /** Only strikes requests that have all these path parameters and body fields */
  match?: { path?: Record<string, string | number>; body?: unknown }
  /**
   * `before`: the operation isn't carried out. `after`: it is, and then its response is dropped or replaced.
   * @default 'before'
   */
  phase?: FaultPhase
  /** A case of the operation, or a custom response */
  respond?: (Op extends OperationId ? CaseOf<Op> : CommonCase) | CustomAnswer
  /** Milliseconds of real time, 0 to 600,000 */
  delay?: number
  /** How the connection ends: `reset`, closed without a response (`empty`) or halfway through it (`truncate`) */
  drop?: Drop
  /**
   * Number of matching requests that pass first.
   * @default 0
   */
  after?: number
  /**
   * How often it strikes before it is spent.
   * @default unlimited
   */
  times?: number
  /**
   * 0 to 1; the account's seed makes it reproducible
   * @default 1
   */
  probability?: number
}
