import { counted } from '../lib/text.ts'
import type { Fault } from '../world/World.ts'
import { getEffects, type FaultEffects } from './effects/effects.ts'
import type { FaultContext, FaultResponse, Send } from './effects/FaultEffect.ts'

/** Whether a fault replaces or drops the response. */
export function replacesResponse(fault: FaultEffects): boolean {
  return getEffects(fault).some(({ effect }) => effect.replace !== undefined)
}

/** Whether a fault sends a part of the original response. An operation that only reads is then executed in either phase. */
export function sendsOriginal({ drop, respond }: FaultEffects): boolean {
  return drop === 'truncate' && respond === undefined
}

/** Milliseconds by which a fault delays the request; undefined if none of its effects delays. */
export function getDelay(fault: FaultEffects): number | undefined {
  const delays = getEffects(fault).flatMap(({ effect, value }) => effect.delay?.(value) ?? [])
  return delays.length === 0 ? undefined : delays.reduce((sum, delay) => sum + delay)
}

/**
 * Default delay in milliseconds before the response to an executed operation is lost or replaced. Orders that a client
 * sends concurrently then arrive before the loss, and don't count as repetitions.
 */
const lossDelay = 100

/** Milliseconds by which a fault delays the response to an executed operation. */
export function getResponseDelay(fault: Fault | undefined): number {
  if (fault?.phase !== 'after') return 0
  return getDelay(fault) ?? (replacesResponse(fault) ? lossDelay : 0)
}

/** The number of changes by which the records in the response are outdated; undefined for the current records. */
export function getChangesBehind(fault: FaultEffects): number | undefined {
  return getEffects(fault)
    .map(({ effect, value }) => effect.changesBehind?.(value))
    .find((changes) => changes !== undefined)
}

/** Whether a fault delays the request before its operation. */
export function delaysOperation(fault: Fault | undefined): fault is Fault {
  return fault?.phase === 'before' && getDelay(fault) !== undefined
}

/** The function that sends the response; undefined if it is sent as usual. */
export function getSend(fault: FaultEffects): Send | undefined {
  return getEffects(fault)
    .map(({ effect, value }) => effect.send?.(value))
    .find((send) => send !== undefined)
}

interface ForcedResponse extends FaultResponse {
  reason: string
  forced: true
}

/** The original response if the operation isn't executed. */
const emptyResponse: FaultResponse = { status: 200, contentType: 'application/json', body: '{}' }

/** Returns the fault's response, which replaces the original one. */
export function forcedResponse(
  fault: Fault,
  context: FaultContext,
  original = emptyResponse,
): ForcedResponse {
  let response = original
  for (const { effect, value } of getEffects(fault))
    response = effect.replace?.(value, response, context) ?? response
  return { ...response, reason: `forced by ${faultReason(fault)}`, forced: true }
}

/** The reason for a forced response: `fault 1 (responds with 503; 1 of 2 times)` */
export function faultReason(fault: Fault): string {
  const { id, times, used } = fault
  const count =
    times === undefined ? `triggered ${counted(used, 'time')}` : `${used} of ${counted(times, 'time')}`
  return `fault ${id} (${describeFault(fault)}; ${count})`
}

/** The effects of a fault in words: `waits 2000 ms, then responds with 503`. */
export function describeFault(fault: FaultEffects & Pick<Partial<Fault>, 'phase'>): string {
  const effects = getEffects(fault)
    .toSorted((a, b) => Number(b.effect.delay !== undefined) - Number(a.effect.delay !== undefined))
    .map(({ effect, value }) => effect.description(value))
    .join(', then ')
  return fault.phase === 'after' ? `${effects}, after the operation has been executed` : effects
}
