import { money, subtract } from '../world/numbers.ts'
import type { World, WorldChange } from '../world/World.ts'

/** What an account has to spend, by the name of the field. */
export type Balance = Readonly<Record<string, unknown>>

export function balanceOf({ credit }: World): Balance {
  return { credit: money(credit) }
}

/** Applies what a request spent, as a difference: others may have taken from the account as well. */
export function spend(balance: Balance, before: World, change: WorldChange): Balance {
  const spent = subtract(before.credit, change.credit ?? before.credit)
  return { credit: money(subtract(Number(balance['credit']), spent)) }
}
