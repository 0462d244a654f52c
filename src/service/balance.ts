import { money, subtract } from '../world/numbers.ts'
import type { World, WorldChange } from '../world/World.ts'

/** The balance of an account, with the name of its field. */
export function balanceOf({ credit }: Pick<World, 'credit'>) {
  return { credit }
}

/** The balance as texts. */
export type ShownBalance = Readonly<Record<string, unknown>>

export function shownBalance({ credit }: World): ShownBalance {
  return { credit: money(credit) }
}

/** Applies the amount that a request spent as a difference, because other requests may have changed the balance. */
export function spend(balance: ShownBalance, before: World, change: WorldChange): ShownBalance {
  const spent = subtract(before.credit, change.credit ?? before.credit)
  return { credit: money(subtract(Number(balance['credit']), spent)) }
}
