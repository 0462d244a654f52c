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
export function effectsOf(
  fault: {
    readonly [Name in keyof FaultEffects]?: FaultEffects[Name] | undefined
  },
): { effect: FaultEffect<unknown>; value: unknown }[] {
  return Object.entries(effects).flatMap(([name, effect]) => {
    const value = fault[name as keyof FaultEffects]
    return value === undefined ? [] : [{ effect: effect as FaultEffect<unknown>, value }]
  })
}
