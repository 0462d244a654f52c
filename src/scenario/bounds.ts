import { type Kind, kinds, type World } from '../world/World.ts'
import { isObject } from '../world/mergePatch.ts'
import type { PathIssue } from '../lib/PathIssue.ts'

/*
 * Size limits of inputs. An input is parsed, checked and applied without interruption, so these limits bound the time for which
 * other requests wait.
 */

/** Maximum size of a scenario or fixture in bytes, enough for about 20,000 services */
export const maxTextBytes = 8 * 1024 * 1024
export const maxTextPhrase = 'At most 8 MB are allowed'

/** Maximum number of records of a kind in all accounts of a scenario, and maximum number of accounts. */
export const maxRecords = 20_000

/** Maximum number of records that a patch may change. */
const maxPatchRecords = 1000

type Fields = Readonly<Record<string, unknown>>

/** Reports too many records of a kind, including generated ones, for the account that exceeds the limit. */
export function sizeIssues({ accounts }: { accounts?: unknown }): PathIssue[] {
  const entries = isObject(accounts) ? Object.entries(accounts) : []
  if (entries.length > maxRecords) return [tooMany(['accounts'], entries.length)]
  const totals = new Map<Kind, number>()
  for (const [login, account] of entries)
    for (const kind of isObject(account) ? kinds : []) {
      const { generate, [kind]: records } = account as Fields
      const generated = isObject(generate) ? Number(generate[kind]) || 0 : 0
      const total = (totals.get(kind) ?? 0) + countRecords(records) + generated
      if (total > maxRecords)
        return [tooMany(['accounts', login, ...(generated > 0 ? ['generate'] : []), kind], total)]
      totals.set(kind, total)
    }
  return []
}

function tooMany(path: string[], count: number): PathIssue {
  return { path, message: `${count} ${path.at(-1)}. A scenario may have at most ${maxRecords}`, isKey: true }
}

/** Reports too many changed records. Null removes all records of a kind. */
export function patchSizeIssues(world: World, patch: Fields): PathIssue[] {
  const touched = (kind: Kind): number =>
    patch[kind] === null ? world[kind].size : countRecords(patch[kind])
  const total = kinds.reduce((sum, kind) => sum + touched(kind), 0)
  if (total <= maxPatchRecords) return []
  const [largest = ''] = kinds.toSorted((a, b) => touched(b) - touched(a))
  const message = `${total} records. A patch may have at most ${maxPatchRecords}: send several, or load a scenario`
  return [{ path: [largest], message }]
}

function countRecords(records: unknown): number {
  return isObject(records) ? Object.keys(records).length : 0
}
