import { longestList } from '../world/counting.ts'
import type { NamedFault } from '../world/NamedWorld.ts'
import { checkFault, under, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import { faultSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

type Path = PathIssue['path']

/** All issues of a fault, both schema and semantic: fixing one shouldn't reveal the next. */
export function faultIssues(fault: unknown, operations: readonly FaultTarget[]): PathIssue[] {
  const wrong = schemaIssues(faultSchema, fault)
  return [
    ...wrong,
    ...sense(
      fault,
      wrong.map(({ path }) => path),
      operations,
    ),
  ]
}

/** The semantic issues of the faults in an account that has schema errors at these paths. */
export function faultsSense(
  account: unknown,
  wrong: readonly Path[],
  operations: readonly FaultTarget[],
): PathIssue[] {
  const faults: unknown = isObject(account) ? account['faults'] : undefined
  if (!Array.isArray(faults) || faults.length > longestList) return []
  const wrongIn = new Map<unknown, Path[]>()
  for (const [part, i, ...path] of wrong)
    if (part === 'faults') wrongIn.set(i, [...(wrongIn.get(i) ?? []), path])
  return faults.flatMap((fault, i) => {
    const own = wrongIn.get(i) ?? []
    return under(['faults', i], sense(fault, own, operations))
  })
}

/** Skips the parts that have schema errors. */
function sense(fault: unknown, wrong: readonly Path[], operations: readonly FaultTarget[]): PathIssue[] {
  const broken = new Set(wrong.map(([part]) => part))
  if (!isObject(fault) || fault['operation'] === undefined || broken.has('operation')) return []
  const sound = Object.fromEntries(Object.entries(fault).filter(([part]) => !broken.has(part)))
  return checkFault(sound as unknown as NamedFault, operations)
}
