import type { FaultEffects } from '../../world/World.ts'
import { delay } from './delay.ts'
import { drop } from './drop.ts'
import type { FaultEffect } from './FaultEffect.ts'
import { respond } from './respond.ts'

/** Everything that a fault can do. Each effect gets the response of the one before. */
export const effects: { [Name in keyof FaultEffects]-?: FaultEffect<NonNullable<FaultEffects[Name]>> } = {
  respond,
  delay,
  drop,
}

/** The effects of a fault with their values, in order. */
export function effectsOf(fault: object): { effect: FaultEffect<unknown>; value: unknown }[] {
  const values = fault as Record<string, unknown>
  return Object.entries(effects)
    .map(([name, effect]) => ({ effect: effect as unknown as FaultEffect<unknown>, value: values[name] }))
    .filter(({ value }) => value !== undefined)
}
