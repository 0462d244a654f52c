import { holds } from '../../contract/Condition.ts'
import type { Contract, ContractOperation } from '../../contract/Contract.ts'
import { crash, genericFaults, presetsFor, type FaultPreset, type World } from '../simulator.ts'
import { UserError } from '../../lib/UserError.ts'
import { unknownName } from '../../lib/nearest.ts'

/** A run in which a fault triggers on the first call of an operation. */
export interface Cell {
  operation: string
  fault: FaultPreset
}

export interface SweepSelection {
  /** Operations; empty for all */
  only: readonly string[]
  /** Names of faults; empty for all except opt-in ones */
  faults: readonly string[]
  /** Whether a second run follows a failed one. Faults that kill the client are then included, if supported. */
  rerun: boolean
}

/** Killing the client requires process groups. */
const canCrash = process.platform !== 'win32'

/** Checks the names before any run. @throws UserError */
export function checkSelection({ only, faults }: SweepSelection, { operations }: Contract): void {
  const named = [...operations.flatMap(({ cases }) => cases), ...genericFaults, crash]
  for (const [kind, names, known] of [
    ['operation', only, operations.map(({ operationId }) => operationId)],
    ['fault', faults, named.map(({ name }) => name)],
  ] as const) {
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined) throw new UserError(unknownName(kind, unknown, [...new Set(known)]))
  }
  if (!canCrash && faults.includes(crash.name))
    throw new UserError(
      'The fault "crash" is not supported on Windows, which has no process groups. Remove it from --faults.',
    )
}

/**
 * Plans the runs: the called operations in the order of their first calls, each with every fault that applies to it.
 * @throws UserError if there are none
 */
export function planRuns(
  called: readonly string[],
  { only, faults, rerun }: SweepSelection,
  contract: Contract,
  world: World,
): Cell[] {
  if (called.length === 0)
    throw new UserError(
      'No request of the command had valid credentials. Make it use PROXYSIM_LOGIN and PROXYSIM_PASSWORD.',
    )
  const operations = called.filter((id) => only.length === 0 || only.includes(id))
  if (operations.length === 0)
    throw new UserError(`The command doesn't call ${only.join(', ')}. Choose from: ${called.join(', ')}.`)
  const cells = operations.flatMap((id) =>
    [...presetsFor(withReachableCases(contract.operation(id) as ContractOperation, world)), crash]
      .filter(({ name, optIn, killsClient }) =>
        faults.length > 0 ? faults.includes(name) : !optIn || (rerun && killsClient && canCrash),
      )
      .map((fault) => ({ operation: id, fault })),
  )
  if (cells.length === 0)
    throw new UserError(
      `None of the called operations (${operations.join(', ')}) supports ${faults.join(', ')}. Choose other faults.`,
    )
  return cells
}

/** The operation with only those cases that can occur under a world's interpretations. */
function withReachableCases(operation: ContractOperation, world: World): ContractOperation {
  const { authOptionalWhen } = operation
  const cases = operation.cases.filter(
    ({ unreachableWhen, isAuthentication }) =>
      !holds(unreachableWhen, world) && !(isAuthentication && holds(authOptionalWhen, world)),
  )
  return { ...operation, cases }
}
