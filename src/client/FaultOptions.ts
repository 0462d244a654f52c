import type { CaseName, CaseOf, OperationId } from '../contract/cases.gen.ts'
import type { Drop, FaultPhase } from '../world/faultValues.ts'

/** The cases that every operation has: those that `*` can be answered with. */
export type CommonCase = {
  [Case in CaseName]: OperationId extends OperationsWith<Case> ? Case : never
}[CaseName]

type OperationsWith<Case extends CaseName> = {
  [Op in OperationId]: Case extends CaseOf<Op> ? Op : never
}[OperationId]

/** An answer of your own making. */
export interface CustomAnswer {
  /** 200 to 599 */
  status: number
  /** A text as it is, anything else as JSON; no body unless named */
  body?: unknown
  headers?: Record<string, string>
}

/**
 * Misbehaviour on purpose, of one operation or (`*`) of all. It does something: `respond`, `delay` or `drop`.
 * @example
 * { operation: 'orderService', respond: 'insufficient-funds', times: 1 }
 * @example
 * { operation: '*', delay: 2000, probability: 0.1 }
 */
export interface FaultOptions<Op extends OperationId | '*' = OperationId | '*'> {
  /** An operationId, or `*` for all */
  operation: Op
  /** Only requests that have all of this */
  match?: { path?: Record<string, string | number>; body?: unknown }
  /**
   * `before`: the operation does not happen. `after`: it happens, then its answer is lost or replaced.
   * @default 'before'
   */
  phase?: FaultPhase
  /** A case that the contract gives the operation, or an answer of your own making */
  respond?: (Op extends OperationId ? CaseOf<Op> : CommonCase) | CustomAnswer
  /** Milliseconds of real time */
  delay?: number
  /** How the connection ends: reset, closed without an answer, or closed amid the answer */
  drop?: Drop
  /**
   * So many matching requests pass first.
   * @default 0
   */
  after?: number
  /** So many times, then it is spent; for ever unless named. */
  times?: number
  /**
   * 0 to 1, drawn by the account's seed
   * @default 1
   */
  probability?: number
}
