import { isObject } from '../../../src/world/mergePatch.ts'
import type { ChangeLine } from '../lib/describeChange.ts'
import type { JournalEntry } from '../lib/types.ts'
import { linesOf } from '../requests/linesOf.ts'

/** The credit after a request that changed it. */
export interface CreditStep {
  entry: JournalEntry
  /** undefined: not known */
  before: number | undefined
  after: number
  /** Of an order: `Static 10` */
  ordered: string | undefined
}

/** The account's requests that changed its credit, the oldest first. */
export function creditSteps(
  oldestFirst: readonly JournalEntry[],
  seen: ReadonlyMap<number, ChangeLine[]>,
): CreditStep[] {
  return oldestFirst.flatMap((entry) => {
    const { change } = entry
    if (!isObject(change) || typeof change['credit'] !== 'number') return []
    const line = linesOf(entry, seen).find(({ what }) => what === 'credit')
    const [service] = Object.values(isObject(change['services']) ? change['services'] : {})
    const name = isObject(service) ? service['product_name'] : undefined
    return [
      {
        entry,
        before: line?.before === undefined ? undefined : Number(line.before),
        after: change['credit'],
        ordered: typeof name === 'string' ? name : undefined,
      },
    ]
  })
}
