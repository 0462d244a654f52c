import { delay, type DelayFault } from './delay.ts'
import { drop, type DropFault } from './drop.ts'
import type { FaultEffect } from './FaultEffect.ts'
import { respond, type RespondFault } from './respond.ts'
import { stale, type StaleFault } from './stale.ts'

/** The effects of a fault. Each has its own file. */
export interface FaultEffects extends RespondFault, StaleFault, DelayFault, DropFault {}

/** All effects, in the order in which they apply. Each gets the response of the previous one. */
export const effects: { [Name in keyof FaultEffects]-?: FaultEffect<NonNullable<FaultEffects[Name]>> } = {
  respond,
  stale,
  delay,
  drop,
}

/** An effect of a fault, with its value. */
export interface AppliedEffect {
  name: string
  effect: FaultEffect<unknown>
  value: unknown
}

/** The effects of a fault with their values, in order. */
export function getEffects(fault: object): AppliedEffect[] {
  const values = fault as Record<string, unknown>
  return Object.entries(effects)
    .map(([name, effect]) => ({
      name,
      effect: effect as unknown as FaultEffect<unknown>,
      value: values[name],
    }))
    .filter(({ value }) => value !== undefined)
}
