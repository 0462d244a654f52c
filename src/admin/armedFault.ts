import { isSpent } from '../faults/selectFault.ts'
import type { Fault } from '../world/World.ts'

/** A fault as the control plane shows it. */
export function armedFault(fault: Fault): Fault & { spent: boolean } {
  return { ...fault, spent: isSpent(fault) }
}
