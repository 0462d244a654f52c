import type { FaultInput } from '../faults/namedFaults.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import type { Simulation } from '../Simulation.ts'
import type { Fault } from '../world/World.ts'
import { inEveryWorld } from './inEveryWorld.ts'

/** Beyond the ids that advance the counter: those of the client's own faults are the same with and without ours. */
const faultId = 9_999_999_999

/**
 * Arms a fault that strikes only the first call of an operation, whichever account makes it. Until it has struck, it is
 * armed again whenever the client resets, loads a scenario, clears faults or creates an account.
 */
export function strikeFirstCall(simulation: Simulation, operation: string, { fault }: FaultInput): void {
  const armed: Fault = { phase: 'before', ...fault, id: faultId, operation, times: 1, seen: 0, used: 0 }
  let hasStruck = false
  /** It comes before all other faults; once it has struck, it is removed everywhere. */
  const armAll = inEveryWorld(simulation, ({ faults }) => {
    const own = faults.find(({ id }) => id === faultId)
    if (own?.used && !hasStruck) {
      hasStruck = true
      armAll()
      return undefined
    }
    const others = faults.filter((one) => one !== own)
    if (hasStruck) return own && { faults: others }
    return own ? undefined : { faults: [armed, ...others] }
  })
}

/** Whether a request for the operation met that fault unused. */
export function isStruck({ operation, before }: JournalRecord): boolean {
  const fault = before?.faults.find(({ id }) => id === faultId)
  return fault?.operation === operation && fault.used === 0
}
