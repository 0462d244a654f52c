import { kinds } from '../world/World.ts'
import { isObject } from '../world/mergePatch.ts'
import type { PathIssue } from '../world/invariants.ts'

/*
 * How large what people send may be. Everything is read, checked and applied in one go, so these bounds keep the time
 * that others wait short.
 */

/** Bytes of a scenario or fixture: some 20,000 services. */
export const maxTextBytes = 8 * 1024 * 1024
export const maxTextPhrase = 'At most 8 MB are read'

/** Records of a kind in a scenario, in all of its accounts together; also the number of accounts. */
export const maxRecords = 20_000

/** Records that a patch may touch. */
export const maxPatchRecords = 1000

/** One issue per kind of which a scenario has too many, counting those it generates; reported where the bound is passed. */
export function sizeIssues(scenario: unknown): PathIssue[] {
  const accounts = Object.entries(
    isObject(scenario) && isObject(scenario['accounts']) ? scenario['accounts'] : {},
  )
  if (accounts.length > maxRecords)
    return [{ path: ['accounts'], message: tooMany(accounts.length, 'accounts'), isKey: true }]
  return kinds.flatMap((kind) => {
    let total = 0
    let passed: PathIssue | undefined
    for (const [login, account] of accounts) {
      if (!isObject(account)) continue
      const { [kind]: named, generate } = account
      const generated = isObject(generate) ? Number(generate[kind]) || 0 : 0
      total += (isObject(named) ? Object.keys(named).length : 0) + generated
      if (total <= maxRecords) continue
      const path = ['accounts', login, ...(generated > 0 ? ['generate', kind] : [kind])]
      passed ??= { path, message: '', isKey: generated === 0 }
    }
    return passed ? [{ ...passed, message: tooMany(total, kind) }] : []
  })
}

function tooMany(count: number, kind: string): string {
  return `${count} ${kind}. A scenario may have at most ${maxRecords}`
}
