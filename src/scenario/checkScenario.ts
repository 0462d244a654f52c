import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { emptyWorld } from '../world/defaults.ts'
import type { Steps } from '../world/Steps.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { schemaIssuesInPieces } from './schemaIssuesInPieces.ts'
import { scenarioSchema } from './schema.ts'
import { faultsSense } from './faultIssues.ts'
import { isObject } from '../world/mergePatch.ts'

/** All issues of a merged scenario: of form first, then of sense. Faults are told of both at once. */
export function* checkScenario(value: unknown, operations: readonly FaultTarget[]): Steps<PathIssue[]> {
  const wrong = yield* schemaIssuesInPieces(scenarioSchema, value)
  if (wrong.length) return [...wrong, ...soundFaultIssues(value, wrong, operations)]
  const issues: PathIssue[] = []
  for (const [login, account] of Object.entries((value as ScenarioDocument).accounts)) {
    const world = emptyWorld(account.password, undefined, { offset: 0 })
    const draft = { world, patch: { ...account }, named: account, isNew: true }
    for (const { path, missing, ...issue } of yield* checkDraft(draft, operations))
      issues.push({
        ...issue,
        path: ['accounts', login, ...path],
        ...(missing && { missing: ['accounts', login, ...missing] }),
      })
  }
  return issues
}

function soundFaultIssues(
  value: unknown,
  wrong: readonly PathIssue[],
  operations: readonly FaultTarget[],
): PathIssue[] {
  const accounts = isObject(value) && isObject(value['accounts']) ? value['accounts'] : {}
  return Object.entries(accounts).flatMap(([login, account]) => {
    const own = wrong.filter(({ path }) => path[0] === 'accounts' && path[1] === login)
    return faultsSense(
      account,
      own.map(({ path }) => path.slice(2)),
      operations,
    ).map((issue) => ({
      ...issue,
      path: ['accounts', login, ...issue.path],
    }))
  })
}
