import type { Fault, FaultEffects } from '../world/World.ts'
import { describeFault } from './describeFault.ts'
import { effectsOf } from './effects/effects.ts'
import type { FaultResponse, Struck } from './effects/FaultEffect.ts'

/** Whether a fault replaces or drops the response, rather than only delaying it. */
export function replacesResponse(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.replace !== undefined)
}

/** Whether a fault delays the request. */
export function waits(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.wait !== undefined)
}

/** Waits as long as a fault says, or until the signal is aborted. */
export async function waitFor(fault: FaultEffects, signal: AbortSignal): Promise<void> {
  for (const { effect, value } of effectsOf(fault)) await effect.wait?.(value, signal)
}

export interface ForcedResponse extends FaultResponse {
  reason: string
  forced: true
}

/** The response if the operation isn't carried out and the fault sets none. */
const nothing: FaultResponse = { status: 200, type: 'application/json', body: '{}' }

/** The response that a fault puts in place of the original. */
export function forcedResponse(
  fault: Fault,
  struck: Struck,
  before: FaultResponse = nothing,
): ForcedResponse {
  const answer = effectsOf(fault).reduce(
    (made, { effect, value }) => effect.replace?.(value, made, struck) ?? made,
    before,
  )
  return { ...answer, reason: describeFault(fault), forced: true }
}
