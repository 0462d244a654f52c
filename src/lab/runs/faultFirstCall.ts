import { type FaultPreset, type JournalRecord, type Simulation, type StoredFault } from '../simulator.ts'
import { applyToEveryWorld } from './applyToEveryWorld.ts'

/** An id before all others, so that this fault is tried first, and the client's own faults have the same ids with and without it. */
const faultId = 0

/** A fault that triggers on the first call of an operation. */
export interface FirstCallFault {
  /** The request that triggered the fault, if any */
  readonly request: JournalRecord | undefined
  /** Removes the fault. */
  remove: () => void
}

/**
 * Adds a fault that triggers only on the first call of an operation, by any account. Until then, the fault is added
 * again after each reset, load, clearing of faults and creation of an account.
 * @param onTriggered called after the operation was executed, before its response is sent
 */
export function faultFirstCall(
  simulation: Simulation,
  operation: string,
  { fault }: FaultPreset,
  onTriggered = (): void => {},
): FirstCallFault {
  const sweepFault: StoredFault = { phase: 'before', ...fault, operation, times: 1, seen: 0, used: 0 }
  let isOver = false
  let request: JournalRecord | undefined
  /** Puts the fault before all others in every world. Once it has triggered, it is removed everywhere. */
  const applyAll = applyToEveryWorld(simulation, (world) => {
    const found = world.faults.get(faultId)
    if (found?.used && !isOver) {
      isOver = true
      applyAll()
      return undefined
    }
    if (isOver) return found && { faults: { [faultId]: null } }
    return found ? undefined : { faults: { [faultId]: sweepFault } }
  })
  simulation.store.on((event) => {
    // The event for the fault's counter precedes that for the request. If the fault didn't apply, its counter is unchanged.
    if (event.type !== 'request' || request || !isOver || !couldTrigger(event.record)) return
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

function couldTrigger({ operation, before }: JournalRecord): boolean {
  const fault = before?.faults.get(faultId)
  return fault?.operation === operation && fault.used === 0
}
