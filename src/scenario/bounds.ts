import { type Kind, kinds, type World } from '../world/World.ts'
import { isObject } from '../world/mergePatch.ts'
import type { PathIssue } from '../lib/PathIssue.ts'

/*
 * How large what people send may be. It is read, checked and applied in one go, so these bounds keep the time that others
 * wait short.
 */

/** Bytes of a scenario or fixture: some 20,000 services. */
export const maxTextBytes = 8 * 1024 * 1024
export const maxTextPhrase = 'At most 8 MB are read'

/** Records of a kind in a scenario, in all of its accounts together; also the number of accounts. */
export const maxRecords = 20_000

/** Records that a patch may touch. */
const maxPatchRecords = 1000

type Fields = Readonly<Record<string, unknown>>

/** Whether a scenario has too many records of a kind, counting those it generates; reported in the account that passes the bound. */
export function sizeIssues({ accounts }: { accounts?: unknown }): PathIssue[] {
  const all = isObject(accounts) ? Object.entries(accounts) : []
  if (all.length > maxRecords) return [tooMany(['accounts'], all.length)]
  const totals = new Map<Kind, number>()
  for (const [login, account] of all)
    for (const kind of isObject(account) ? kinds : []) {
      const { generate, [kind]: records } = account as Fields
      const generated = isObject(generate) ? Number(generate[kind]) || 0 : 0
      const total = (totals.get(kind) ?? 0) + countOf(records) + generated
      if (total > maxRecords)
        return [tooMany(['accounts', login, ...(generated > 0 ? ['generate'] : []), kind], total)]
      totals.set(kind, total)
    }
  return []
}

function tooMany(path: string[], count: number): PathIssue {
  return { path, message: `${count} ${path.at(-1)}. A scenario may have at most ${maxRecords}`, isKey: true }
}

/** Whether a patch of a world touches too many records; null removes all of a kind. */
export function patchSizeIssues(world: World, patch: Fields): PathIssue[] {
  const touched = (kind: Kind): number => (patch[kind] === null ? world[kind].size : countOf(patch[kind]))
  const total = kinds.reduce((sum, kind) => sum + touched(kind), 0)
  if (total <= maxPatchRecords) return []
  const [most = ''] = kinds.toSorted((a, b) => touched(b) - touched(a))
  const message = `${total} records. A patch may have at most ${maxPatchRecords}: send several, or load a scenario`
  return [{ path: [most], message }]
}

function countOf(records: unknown): number {
  return isObject(records) ? Object.keys(records).length : 0
}
