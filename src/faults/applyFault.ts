import { counted } from '../lib/text.ts'
import type { Fault } from '../world/World.ts'
import { effectsOf, type FaultEffects } from './effects/effects.ts'
import type { FaultContext, FaultResponse, Send } from './effects/FaultEffect.ts'

/** Whether a fault replaces or drops the response. */
export function replacesResponse(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.replace !== undefined)
}

/** Whether a fault delays the request. */
export function waits(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.wait !== undefined)
}

/** Whether a fault takes time, so that it is only used when named. */
export function isSlow(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.duration !== undefined)
}

/** Waits as long as a fault says, or until the signal is aborted. */
export async function waitFor(fault: FaultEffects, signal: AbortSignal): Promise<void> {
  for (const { effect, value } of effectsOf(fault)) await effect.wait?.(value, signal)
}

/** Milliseconds that pass after the operation was carried out. */
export function durationAfter(fault: Fault): number {
  if (fault.phase !== 'after') return 0
  return effectsOf(fault).reduce((sum, { effect, value }) => sum + (effect.duration?.(value) ?? 0), 0)
}

/** How many changes the records are behind of which the response is made; undefined if they are the present ones. */
export function changesBehind(fault: FaultEffects): number | undefined {
  return effectsOf(fault)
    .map(({ effect, value }) => effect.changesBehind?.(value))
    .find((changes) => changes !== undefined)
}

/** How a fault sends the response; undefined if in the usual way. */
export function sendOf(fault: FaultEffects): Send | undefined {
  return effectsOf(fault)
    .map(({ effect, value }) => effect.send?.(value))
    .find((send) => send !== undefined)
}

interface ForcedResponse extends FaultResponse {
  reason: string
  forced: true
}

/** The response if the operation isn't carried out and the fault sets none. */
const nothing: FaultResponse = { status: 200, type: 'application/json', body: '{}' }

/** The response that a fault puts in place of the original. */
export function forcedResponse(fault: Fault, context: FaultContext, original = nothing): ForcedResponse {
  let response = original
  for (const { effect, value } of effectsOf(fault))
    response = effect.replace?.(value, response, context) ?? response
  return { ...response, reason: `forced by ${reasonOf(fault)}`, forced: true }
}

/** Which fault, what it does, and how often it did: `fault 1 (responds with 503; 1 of 2 times)` */
export function reasonOf(fault: Fault): string {
  const { id, times, used } = fault
  const count = times === undefined ? `triggered ${counted(used, 'time')}` : `${used} of ${counted(times, 'time')}`
  return `fault ${id} (${describeFault(fault)}; ${count})`
}

/** What a fault does: `waits 2000 ms, then responds with 503`. */
export function describeFault(fault: FaultEffects & Pick<Partial<Fault>, 'phase'>): string {
  const does = effectsOf(fault)
    .toSorted((a, b) => Number(b.effect.wait !== undefined) - Number(a.effect.wait !== undefined))
    .map(({ effect, value }) => effect.description(value))
    .join(', then ')
  return fault.phase === 'after' ? `${does}, after the operation was carried out` : does
}
