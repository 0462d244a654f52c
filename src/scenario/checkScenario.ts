import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { emptyWorld } from '../world/defaults.ts'
import type { Steps } from '../world/Steps.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { schemaIssuesInPieces } from './schemaIssuesInPieces.ts'
import { scenarioSchema } from './schema.ts'

/** All issues of a merged scenario: of form first, then of sense. */
export function* checkScenario(value: unknown, operations: readonly FaultTarget[]): Steps<PathIssue[]> {
  const wrong = yield* schemaIssuesInPieces(scenarioSchema, value)
  if (wrong.length) return wrong
  const issues: PathIssue[] = []
  for (const [login, account] of Object.entries((value as ScenarioDocument).accounts)) {
    const world = emptyWorld(account.password, undefined, { offset: 0 })
    const draft = { world, patch: { ...account }, named: account, isNew: true }
    for (const { path, ...issue } of yield* checkDraft(draft, operations))
      issues.push({ ...issue, path: ['accounts', login, ...path] })
  }
  return issues
}
