import type { Fault, FaultEffects } from '../world/World.ts'
import { describeFault } from './describeFault.ts'
import { effectsOf } from './effects/effects.ts'
import type { Answer, Struck } from './effects/FaultEffect.ts'

/** Whether a fault makes another answer, or none, and does not only wait. */
export function replacesAnswer(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.answer !== undefined)
}

/** Whether a fault makes the request wait. */
export function waits(fault: FaultEffects): boolean {
  return effectsOf(fault).some(({ effect }) => effect.wait !== undefined)
}

/** Waits as long as a fault says; ends early when one of the signals, which are made for this, is aborted. */
export async function waitFor(fault: FaultEffects, signals: () => readonly AbortSignal[]): Promise<void> {
  for (const { effect, value } of effectsOf(fault)) await effect.wait?.(value, signals())
}

export interface ForcedAnswer extends Answer {
  reason: string
  forced: true
}

/** The answer when the operation did not happen, as far as the fault names none. */
const nothing: Answer = { status: 200, type: 'application/json', body: '{}' }

/** What a fault puts in the place of the answer. */
export function forcedAnswer(fault: Fault, struck: Struck, before: Answer = nothing): ForcedAnswer {
  const answer = effectsOf(fault).reduce(
    (made, { effect, value }) => effect.answer?.(value, made, struck) ?? made,
    before,
  )
  return { ...answer, reason: describeFault(fault), forced: true }
}
