import {
  type FaultPreset,
  type JournalRecord,
  type Simulation,
  faultsPatch,
  getFaults,
  type Fault,
} from '../simulator.ts'
import { applyToEveryWorld } from './applyToEveryWorld.ts'

/** An id too high to advance the id counter, so that the client's own faults have the same ids with and without this fault. */
const faultId = 9_999_999_999

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
  const sweepFault: Fault = { phase: 'before', ...fault, id: faultId, operation, times: 1, seen: 0, used: 0 }
  let isOver = false
  let request: JournalRecord | undefined
  /** Puts the fault before all others in every world. Once it has triggered, it is removed everywhere. */
  const applyAll = applyToEveryWorld(simulation, (world) => {
    const faults = getFaults(world)
    const found = faults.find(({ id }) => id === faultId)
    if (found?.used && !isOver) {
      isOver = true
      applyAll()
      return undefined
    }
    const others = faults.filter((one) => one !== found)
    if (isOver) return found && faultsPatch(world, others)
    return found ? undefined : faultsPatch(world, [sweepFault, ...others])
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
  const fault = before && getFaults(before).find(({ id }) => id === faultId)
  return fault?.operation === operation && fault.used === 0
}
