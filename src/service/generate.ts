import { hash } from '../world/random.ts'
import type { Instant, TimeZone } from '../world/time.ts'
import type { RecordsInput, WorldInput } from '../world/World.ts'
import { getDescription, getFirstId, type Kind, kinds, getNoun, getOwners } from './records.ts'
import { loadFaker } from '../lib/onDemand.ts'

/** The current time, and the time zone of dates */
interface Today {
  now: Instant
  timeZone: TimeZone
}

/** An account, and the number of records of each kind to add. */
type AccountTemplate = WorldInput & { generate?: { [K in Kind]?: number } }

/** Number of records to generate of a kind that has none, if generated records refer to it. */
const minParents = 3

/**
 * Adds the records that `generate` requests. Each record depends only on the seed, its id and its possible parents.
 * Dates are relative to the account's current date.
 */
export async function addGenerated(
  account: AccountTemplate,
  seed: number,
  today: Today,
): Promise<AccountTemplate> {
  const { faker } = await loadFaker()
  const copies = Object.fromEntries(kinds.map((kind) => [kind, { ...account[kind] }]))
  const records = copies as { [K in Kind]: Record<string, RecordsInput[K]> }
  const counts = getCountsToGenerate(account)
  for (const kind of kinds) {
    const choices = getOwners(kind).map(
      ([field, owner]) => [field, owner, Object.keys(records[owner])] as const,
    )
    for (let id = getFirstId(kind), left = counts[kind]; left > 0; id++) {
      if (Object.hasOwn(records[kind], id)) continue
      const owners: Record<string, number> = {}
      const parents: Record<string, object | undefined> = {}
      for (const [field, owner, ids] of choices) {
        const chosen = Number(ids[hash([seed, getNoun(owner), id]) % ids.length] ?? getFirstId(owner))
        owners[field] = chosen
        parents[field] = records[owner][chosen]
      }
      const record = getDescription(kind).generate({ faker, seed, id, ...today, owners, parents })
      Object.assign(records[kind], { [id]: record })
      left--
    }
  }
  return { ...account, ...records }
}

/** Number of records to generate, by kind. */
function getCountsToGenerate(account: AccountTemplate): Record<Kind, number> {
  const counts = {} as Record<Kind, number>
  for (const kind of kinds.toReversed()) {
    const isNeeded = kinds.some(
      (other) => counts[other] > 0 && getOwners(other).some(([, owner]) => owner === kind),
    )
    const isEmpty = Object.keys(account[kind] ?? {}).length === 0
    counts[kind] = account.generate?.[kind] ?? (isNeeded && isEmpty ? minParents : 0)
  }
  return counts
}
