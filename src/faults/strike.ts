import { counted } from '../lib/text.ts'
import type { Fault, FaultEffects } from '../world/World.ts'
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
export function forcedResponse(fault: Fault, struck: Struck, before = nothing): ForcedResponse {
  const { id, times, used } = fault
  const count = times === undefined ? `triggered ${counted(used, 'time')}` : `${used} of ${times} times`
  let response = before
  for (const { effect, value } of effectsOf(fault))
    response = effect.replace?.(value, response, struck) ?? response
  return { ...response, reason: `forced by fault ${id} (${faultWords(fault)}; ${count})`, forced: true }
}

/** What a fault does: `waits 2000 ms, then responds with 503`. */
export function faultWords(fault: FaultEffects & Pick<Partial<Fault>, 'phase'>): string {
  const does = effectsOf(fault)
    .toSorted((a, b) => Number(b.effect.wait !== undefined) - Number(a.effect.wait !== undefined))
    .map(({ effect, value }) => effect.words(value))
    .join(', then ')
  return fault.phase === 'after' ? `${does}, after the operation was carried out` : does
}
