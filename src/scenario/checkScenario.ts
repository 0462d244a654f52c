import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { emptyWorld } from '../world/defaults.ts'
import { kinds } from '../world/Draft.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Steps } from '../world/Steps.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { schemaIssuesInPieces } from './schemaIssuesInPieces.ts'
import { scenarioSchema } from './schema.ts'

/** Records of a kind that an account may name; as many may be generated. */
const mostRecords = 200_000

/** All issues of a merged scenario: of size first, then of form, then of sense. */
export function* checkScenario(value: unknown, operations: readonly FaultTarget[]): Steps<PathIssue[]> {
  const large = tooManyRecords(value)
  if (large.length) return large
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

function tooManyRecords(value: unknown): PathIssue[] {
  const accounts = isObject(value) ? value['accounts'] : undefined
  return Object.entries(isObject(accounts) ? accounts : {}).flatMap(([login, account]) =>
    kinds.flatMap((kind) => {
      const records = isObject(account) ? account[kind] : undefined
      const count = isObject(records) ? Object.keys(records).length : 0
      return count > mostRecords
        ? [
            {
              path: ['accounts', login, kind],
              message: `there are ${count}; at most ${mostRecords} are loaded`,
            },
          ]
        : []
    }),
  )
}
