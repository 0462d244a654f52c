import type { CaseName, CaseOf, OperationId } from '../contract/cases.gen.ts'

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
  /** A text as it is, anything else as JSON */
  body?: unknown
  headers?: Record<string, string>
}

/** Misbehaviour on purpose, of one operation or (`*`) of all. It does something: `respond`, `delay` or `drop`. */
export interface FaultOptions<Op extends OperationId | '*' = OperationId | '*'> {
  operation: Op
  /** Only requests that have all of this */
  match?: { path?: Record<string, string | number>; body?: unknown }
  /** `before` (default): the operation does not happen. `after`: it happens, then its answer is lost or replaced. */
  phase?: 'before' | 'after'
  /** A case that the contract gives the operation, or an answer of your own making */
  respond?: (Op extends OperationId ? CaseOf<Op> : CommonCase) | CustomAnswer
  /** Milliseconds of real time */
  delay?: number
  /** How the connection ends: reset, closed without an answer, or closed amid the answer */
  drop?: 'reset' | 'empty' | 'truncate'
  /** So many matching requests pass first. */
  after?: number
  /** So many times, then it is spent; for ever where it is left out. */
  times?: number
  /** 0 to 1, drawn by the account's seed */
  probability?: number
}
