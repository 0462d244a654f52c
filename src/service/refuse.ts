import type { CaseName, CaseOf, OperationId } from '../contract/cases.gen.ts'
import { Refusal } from '../world/Refusal.ts'

/** Refuses with a case of the operation. A case that the contract doesn't list for the operation is a compile error. */
export type Refuse<Op extends OperationId> = (
  caseName: CaseOf<Op>,
  reason: string,
  fill?: Record<string, string>,
) => never

/** Refuses with any case of the contract. Operations narrow it with the type `Refuse`. */
export function refuseWith(caseName: CaseName, reason: string, fill?: Record<string, string>): never {
  throw new Refusal(caseName, reason, fill)
}
