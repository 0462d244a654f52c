import type { CaseName, CaseOf, OperationId } from '../contract/cases.gen.ts'
import { Refusal } from '../world/Refusal.ts'

/** Refuses with a case of the operation. One that the contract doesn't give it is a compile error. */
export type Refuse<Op extends OperationId> = (
  caseName: CaseOf<Op>,
  reason: string,
  fill?: Record<string, string>,
) => never

/** Refuses with a case of the contract. Operations call it by their own name for it, of type `Refuse`. */
export function refuseWith(caseName: CaseName, reason: string, fill?: Record<string, string>): never {
  throw new Refusal(caseName, reason, fill)
}
