import type { Fault, FaultEffects } from '../world/World.ts'
import { effectsOf } from './effects/effects.ts'

/** A short description of a fault, for `Sim-Reason` and the journal. */
export function describeFault(fault: Fault): string {
  const { id, times, used } = fault
  const struck = used === 1 ? 'struck once' : `struck ${used} times`
  return `forced by fault ${id} (${faultWords(fault)}; ${times === undefined ? struck : `${used} of ${times} times`})`
}

/** What a fault does: `waits 2000 ms, then responds with 503`. */
export function faultWords(fault: FaultEffects & Pick<Partial<Fault>, 'phase'>): string {
  const does = effectsOf(fault)
    .toSorted((a, b) => Number(b.effect.wait !== undefined) - Number(a.effect.wait !== undefined))
    .map(({ effect, value }) => effect.words(value))
    .join(', then ')
  return fault.phase === 'after' ? `${does}, after the operation was carried out` : does
}
