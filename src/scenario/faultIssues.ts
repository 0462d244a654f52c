import type { NamedFault } from '../world/NamedWorld.ts'
import { checkFault, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import { faultSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

/** All issues of a fault, both schema and semantic: fixing one shouldn't reveal the next. */
export function faultIssues(fault: unknown, operations: readonly FaultTarget[]): PathIssue[] {
  const wrong = schemaIssues(faultSchema, fault)
  const broken = new Set(wrong.map(({ path: [field] }) => field))
  if (!isObject(fault) || fault['operation'] === undefined || broken.has('operation')) return wrong
  const sound = Object.fromEntries(Object.entries(fault).filter(([field]) => !broken.has(field)))
  return [...wrong, ...checkFault(sound as unknown as NamedFault, operations)]
}
