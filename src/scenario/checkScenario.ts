import { timelineIssues, applicationIssues } from '../timeline/timelineIssues.ts'
import { checkFaults, type FaultTarget } from '../faults/checkFaults.ts'
import { type PathIssue, prefixPaths } from '../lib/PathIssue.ts'
import { runAtOnce } from '../lib/slices.ts'
import { checkDraft } from '../service/index.ts'
import { toListPositions } from '../world/entries.ts'
import { realTime } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { sizeIssues, valueIssues } from './bounds.ts'
import { createDraft, buildFromDraft } from './buildWorld.ts'
import { patchIssues, type PatchResult, patchWorld } from './patchWorld.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'
import { parentOfField, scenarioSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

/** The issues of a merged scenario: violations of the schema or, if there are none, inconsistencies. */
export function checkScenario(scenario: object, operations: readonly FaultTarget[]): PathIssue[] {
  const issues = structureIssues(scenario)
  return issues.length > 0 ? issues : [...consistencyIssues(scenario as ScenarioDocument, operations)].flat()
}

/** Issues with the size or, if there are none, violations of the schema. */
export function structureIssues(scenario: object): PathIssue[] {
  const issues = sizeIssues(scenario)
  return issues.length > 0 ? issues : schemaIssues(scenarioSchema, scenario, parentOfField)
}

/** Inconsistencies in a scenario that satisfies the schema, part by part, so that a large scenario can be checked in slices. */
export function* consistencyIssues(
  document: ScenarioDocument,
  operations: readonly FaultTarget[],
): Generator<readonly PathIssue[]> {
  for (const [login, account] of Object.entries(document.accounts))
    for (const issues of accountIssues(document, account, operations))
      yield prefixPaths(['accounts', login], issues)
}

function* accountIssues(
  document: ScenarioDocument,
  account: ScenarioAccount,
  operations: readonly FaultTarget[],
): Generator<readonly PathIssue[]> {
  const real = realTime()
  const { draft, now } = createDraft(document, account, real)
  const { clock = document.clock } = account
  const { timeline, faults } = draft.input
  const isClockSet = typeof clock === 'object' ? clock.now !== undefined : clock !== undefined
  const shown = isClockSet ? draft.world.clock : undefined
  // Generated records don't exist yet, so the entries can't be tried.
  const canTry = timeline !== undefined && !account.generate
  const parts = function* (): Generator<readonly PathIssue[]> {
    yield checkDraft(draft)
    yield checkFaults(faults, operations)
    yield* timelineIssues(timeline, shown, now, patchIssues, !canTry)
  }
  let isValid = true
  for (const issues of parts()) {
    isValid &&= issues.length === 0
    yield toListPositions(draft.lists, issues)
  }
  if (!isValid || !canTry) return
  const world = { ...runAtOnce(buildFromDraft(draft, now)), timeline: draft.world.timeline }
  const check = (later: World, patch: object): PatchResult => {
    const issues = valueIssues(patch)
    return issues.length > 0 ? { issues } : patchWorld(later, patch, { operations }, real)
  }
  for (const issues of applicationIssues(timeline, world, now, operations, check))
    yield toListPositions(draft.lists, issues)
}
