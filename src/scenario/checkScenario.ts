import { checkDraft, under, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { timelineIssues } from '../timeline/timelineIssues.ts'
import { dataOf, worldOf } from '../world/change.ts'
import { clockAt, realTime } from '../world/clock.ts'
import type { Draft } from '../world/Draft.ts'
import { emptyWorld, fillDraft } from '../world/defaults.ts'
import { kinds } from '../world/World.ts'
import { isObject } from '../world/mergePatch.ts'
import { resolveClock } from './buildWorld.ts'
import { patchWorld } from './patchWorld.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'
import { schemaIssuesInPieces } from './schemaIssuesInPieces.ts'
import { faultsSense } from './faultIssues.ts'

/** How many records of a kind an account may list; as many can be generated. */
const mostRecords = 200_000

/**
 * All issues of a merged scenario: size first, then schema, then semantics. For faults, schema and semantics together.
 */
export function checkScenario(value: unknown, operations: readonly FaultTarget[]): PathIssue[] {
  const large = tooManyRecords(value)
  if (large.length) return large
  const wrong = schemaIssuesInPieces(value)
  if (wrong.some(({ path }) => path.length === 0)) return wrong // nothing is known to be sound
  if (wrong.length) return [...wrong, ...soundFaultIssues(value, wrong, operations)]
  const issues: PathIssue[] = []
  for (const [login, account] of Object.entries((value as ScenarioDocument).accounts)) {
    const world = worldOf(emptyWorld(account.password, undefined, { offset: 0 }))
    const draft = { world, patch: { ...account }, named: account, isNew: true }
    const wrongNow = checkDraft(draft, operations)
    const due =
      wrongNow.length > 0 || account.generate ? [] : dueIssues(draft, value as ScenarioDocument, operations)
    for (const { path, missing, ...issue } of [...wrongNow, ...due])
      issues.push({
        ...issue,
        path: ['accounts', login, ...path],
        ...(missing && { missing: ['accounts', login, ...missing] }),
      })
  }
  return issues
}

/** What is wrong with the timeline of an account that is sound otherwise. */
function dueIssues(
  draft: Draft & { named: ScenarioAccount },
  { clock }: ScenarioDocument,
  operations: readonly FaultTarget[],
): PathIssue[] {
  const { named } = draft
  if (!named.timeline?.length) return []
  const set = named.clock ?? clock
  const { now } = resolveClock(set, realTime())
  const empty = { ...dataOf(draft.world), clock: clockAt(now, true, now) }
  const world = worldOf({ ...empty, ...fillDraft(draft, now), timeline: {} })
  return timelineIssues(
    named.timeline,
    world,
    set === undefined ? undefined : now,
    operations,
    (then, patch) => patchWorld(then, patch, { operations }, now).issues,
  )
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
  const paths = new Map<unknown, PathIssue['path'][]>()
  for (const login of Object.keys(accounts)) paths.set(login, [])
  for (const { path } of wrong) if (path[0] === 'accounts') paths.get(path[1])?.push(path.slice(2))
  return Object.entries(accounts).flatMap(([login, account]) =>
    under(['accounts', login], faultsSense(account, paths.get(login) ?? [], operations)),
  )
}
