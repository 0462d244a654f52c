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

/** Whether a fault is slow, so that it is only used when named. */
export function isSlow(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.duration !== undefined)
}

/** Waits for the delay of a fault, or until the signal is aborted. */
export async function waitFor(fault: FaultEffects, signal: AbortSignal): Promise<void> {
  for (const { effect, value } of effectsOf(fault)) await effect.wait?.(value, signal)
}

/** Milliseconds of delay after the operation was executed. */
export function durationAfter(fault: Fault): number {
  if (fault.phase !== 'after') return 0
  return effectsOf(fault).reduce((sum, { effect, value }) => sum + (effect.duration?.(value) ?? 0), 0)
}

/** The number of changes by which the records in the response are outdated; undefined for the current records. */
export function changesBehind(fault: FaultEffects): number | undefined {
  return effectsOf(fault)
    .map(({ effect, value }) => effect.changesBehind?.(value))
    .find((changes) => changes !== undefined)
}

/** The function that sends the response; undefined for the usual one. */
export function sendOf(fault: FaultEffects): Send | undefined {
  return effectsOf(fault)
    .map(({ effect, value }) => effect.send?.(value))
    .find((send) => send !== undefined)
}

interface ForcedResponse extends FaultResponse {
  reason: string
  forced: true
}

/** The response if the operation isn't executed and the fault sets none. */
const nothing: FaultResponse = { status: 200, type: 'application/json', body: '{}' }

/** The fault's replacement of the original response. */
export function forcedResponse(fault: Fault, context: FaultContext, original = nothing): ForcedResponse {
  let response = original
  for (const { effect, value } of effectsOf(fault))
    response = effect.replace?.(value, response, context) ?? response
  return { ...response, reason: `forced by ${reasonOf(fault)}`, forced: true }
}

/** The reason for a forced response: `fault 1 (responds with 503; 1 of 2 times)` */
export function reasonOf(fault: Fault): string {
  const { id, times, used } = fault
  const count =
    times === undefined ? `triggered ${counted(used, 'time')}` : `${used} of ${counted(times, 'time')}`
  return `fault ${id} (${describeFault(fault)}; ${count})`
}

/** The effects of a fault in words: `waits 2000 ms, then responds with 503`. */
export function describeFault(fault: FaultEffects & Pick<Partial<Fault>, 'phase'>): string {
  const does = effectsOf(fault)
    .toSorted((a, b) => Number(b.effect.wait !== undefined) - Number(a.effect.wait !== undefined))
    .map(({ effect, value }) => effect.description(value))
    .join(', then ')
  return fault.phase === 'after' ? `${does}, after the operation was carried out` : does
}
