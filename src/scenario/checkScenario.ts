import type { z } from 'zod'
import { timelineIssues, applicationIssues } from '../timeline/timelineIssues.ts'
import { checkFaults, type FaultTarget } from '../faults/checkFaults.ts'
import { type PathIssue, prefixPaths } from '../lib/PathIssue.ts'
import { checkDraft } from '../service/index.ts'
import { toListPositions } from '../world/entries.ts'
import { realTime } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { sizeIssues, valueIssues } from './bounds.ts'
import { createDraft, buildFromDraft } from './buildWorld.ts'
import { patchIssues, type PatchResult, patchWorld } from './patchWorld.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'
import { scenarioSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

/** The issues of a merged scenario: violations of the schema or, if there are none, inconsistencies. */
export function checkScenario(scenario: object, operations: readonly FaultTarget[]): PathIssue[] {
  const issues = structureIssues(scenario)
  return issues.length > 0 ? issues : consistencyIssues(scenario as ScenarioDocument, operations)
}

/** Issues with the size or, if there are none, violations of the schema. */
export function structureIssues(scenario: object, schema: z.ZodType = scenarioSchema): PathIssue[] {
  const issues = sizeIssues(scenario)
  return issues.length > 0 ? issues : schemaIssues(schema, scenario)
}

/** Inconsistencies in a scenario that satisfies the schema. */
export function consistencyIssues(
  document: ScenarioDocument,
  operations: readonly FaultTarget[],
): PathIssue[] {
  return Object.entries(document.accounts).flatMap(([login, account]) =>
    prefixPaths(['accounts', login], accountIssues(document, account, operations)),
  )
}

function accountIssues(
  document: ScenarioDocument,
  account: ScenarioAccount,
  operations: readonly FaultTarget[],
): PathIssue[] {
  const real = realTime()
  const { draft, now } = createDraft(document, account, real)
  const { clock = document.clock } = account
  const { timeline, faults } = draft.input
  const isClockSet = typeof clock === 'object' ? clock.now !== undefined : clock !== undefined
  const shown = isClockSet ? draft.world.clock : undefined
  // Generated records don't exist yet, so the entries can't be tried.
  const canTry = timeline !== undefined && !account.generate
  const issues = [
    ...checkDraft(draft),
    ...checkFaults(faults, operations),
    ...timelineIssues(timeline, shown, now, patchIssues, !canTry),
  ]
  if (issues.length === 0 && canTry) {
    const world = { ...buildFromDraft(draft, now), timeline: draft.world.timeline }
    const check = (later: World, patch: object): PatchResult => {
      const tooMany = valueIssues(patch)
      return tooMany.length > 0 ? { issues: tooMany } : patchWorld(later, patch, { operations }, real)
    }
    issues.push(...applicationIssues(timeline, world, now, operations, check))
  }
  return toListPositions(draft.lists, issues)
}
