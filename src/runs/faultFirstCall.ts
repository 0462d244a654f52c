import type { FaultInput } from '../faults/namedFaults.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import type { Simulation } from '../Simulation.ts'
import { changedFaults, faultsOf } from '../world/faults.ts'
import type { Fault } from '../world/World.ts'
import { inEveryWorld } from './inEveryWorld.ts'

/** Beyond the ids that advance the counter: those of the client's own faults are the same with and without ours. */
const faultId = 9_999_999_999

/** A fault that triggers on the first call of an operation. */
export interface FirstCallFault {
  /** The request that triggered it, if any */
  readonly request: JournalRecord | undefined
  /** Removes it. */
  remove: () => void
}

/**
 * Adds a fault that triggers only on the first call of an operation, whichever account makes it. Until then it is added
 * again whenever the client resets, loads a scenario, clears faults or creates an account.
 * @param onTriggered called once the operation was carried out, before its response is sent
 */
export function faultFirstCall(
  simulation: Simulation,
  operation: string,
  { fault }: FaultInput,
  onTriggered = (): void => {},
): FirstCallFault {
  const own: Fault = { phase: 'before', ...fault, id: faultId, operation, times: 1, seen: 0, used: 0 }
  let isOver = false
  let request: JournalRecord | undefined
  /** It comes before all other faults; once it has triggered, it is removed everywhere. */
  const applyAll = inEveryWorld(simulation, (world) => {
    const faults = faultsOf(world)
    const found = faults.find(({ id }) => id === faultId)
    if (found?.used && !isOver) {
      isOver = true
      applyAll()
      return undefined
    }
    const others = faults.filter((one) => one !== found)
    if (isOver) return found && changedFaults(world, others)
    return found ? undefined : changedFaults(world, [own, ...others])
  })
  simulation.store.on((event) => {
    // The change of its counter comes before the request. A call that it let pass found it unused, too.
    if (event.type !== 'request' || request || !isOver || !foundUnused(event.record)) return
    request = event.record
    onTriggered()
  })
  return {
    get request() {
      return request
    },
    remove() {
      isOver = true
      applyAll()
    },
  }
}

function foundUnused({ operation, before }: JournalRecord): boolean {
  const fault = before && faultsOf(before).find(({ id }) => id === faultId)
  return fault?.operation === operation && fault.used === 0
}
