import { formatMoney, subtract } from '../world/numbers.ts'
import type { World, WorldChange } from '../world/World.ts'

/** The fields of an account's balance. */
export function getBalance({ credit }: Pick<World, 'credit'>) {
  return { credit }
}

/** The fields of a balance, formatted as strings. */
export type ShownBalance = Readonly<Record<string, unknown>>

export function shownBalance({ credit }: World): ShownBalance {
  return { credit: formatMoney(credit) }
}

/** Subtracts the amount that a request spent. Other requests may have changed the balance since. */
export function spend(balance: ShownBalance, before: World, change: WorldChange): ShownBalance {
  const spent = subtract(before.credit, change.credit ?? before.credit)
  return { credit: formatMoney(subtract(Number(balance['credit']), spent)) }
}
