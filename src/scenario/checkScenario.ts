import { checkDraft, under, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { emptyWorld } from '../world/defaults.ts'
import { kinds } from '../world/Draft.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Steps } from '../world/Steps.ts'
import type { ScenarioDocument } from './ScenarioDocument.ts'
import { schemaIssuesInPieces } from './schemaIssuesInPieces.ts'
import { scenarioSchema } from './schema.ts'
import { faultsSense } from './faultIssues.ts'

/** How many records of a kind an account may list; as many can be generated. */
const mostRecords = 200_000

/**
 * All issues of a merged scenario: size first, then schema, then semantics. For faults, schema and semantics together.
 */
export function* checkScenario(value: unknown, operations: readonly FaultTarget[]): Steps<PathIssue[]> {
  const large = tooManyRecords(value)
  if (large.length) return large
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

function soundFaultIssues(
  value: unknown,
  wrong: readonly PathIssue[],
  operations: readonly FaultTarget[],
): PathIssue[] {
  const accounts = isObject(value) && isObject(value['accounts']) ? value['accounts'] : {}
  return Object.entries(accounts).flatMap(([login, account]) => {
    const own = wrong.filter(({ path }) => path[0] === 'accounts' && path[1] === login)
    const paths = own.map(({ path }) => path.slice(2))
    return under(['accounts', login], faultsSense(account, paths, operations))
  })
}
