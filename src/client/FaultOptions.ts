import type { CaseName, CaseOf, OperationId } from '../contract/cases.gen.ts'
import type { CustomResponse } from '../faults/effects/respond.ts'
import type { FaultName } from '../faults/presets.ts'
import type { Fault } from '../world/World.ts'

/** A fault with the effects of a named one. @default all operations */
export type NamedFault = Partial<FaultOptions> & { name: FaultName }

/** The cases that every operation has. A fault of `*` can respond with them. */
export type CommonCase = {
  [Case in CaseName]: OperationId extends OperationsWith<Case> ? Case : never
}[CaseName]

type OperationsWith<Case extends CaseName> = {
  [Op in OperationId]: Case extends CaseOf<Op> ? Op : never
}[OperationId]

export type { CustomResponse }

export type { FaultName }

/**
 * A fault of one operation, or of all (`*`). At least one effect, such as `respond` or `drop`, is required.
 * @example
 * { operation: 'orderService', respond: 'insufficient-funds', times: 1 }
 * @example
 * { operation: '*', delay: 2000, probability: 0.1 }
 */
export interface FaultOptions<Op extends OperationId | '*' = OperationId | '*'>
  extends Partial<Omit<Fault, 'id' | 'operation' | 'respond' | 'seen' | 'used'>> {
  /** A named fault, whose effects are added: see docs/faults.md. A name alone applies to all operations */
  name?: FaultName
  /** An operationId, or `*` for all */
  operation: Op
  /** A case of the operation, or a custom response */
  respond?: (Op extends OperationId ? CaseOf<Op> : CommonCase) | CustomResponse
}
