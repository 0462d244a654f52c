import type { CaseName, CaseOf, OperationId } from '../contract/cases.gen.ts'
import type { Fault } from '../world/World.ts'

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
export interface FaultOptions<Op extends OperationId | '*' = OperationId | '*'>
  extends Partial<Omit<Fault, 'id' | 'operation' | 'respond' | 'seen' | 'used'>> {
  operation: Op
  /** A case that the contract gives the operation, or an answer of your own making */
  respond?: (Op extends OperationId ? CaseOf<Op> : CommonCase) | CustomAnswer
}
