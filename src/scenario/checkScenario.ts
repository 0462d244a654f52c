import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkDraft, under, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { timelineIssues } from '../timeline/timelineIssues.ts'
import { dataOf, worldOf } from '../world/change.ts'
import { clockAt, realTime } from '../world/time.ts'
import type { Draft } from '../world/Draft.ts'
import { emptyWorld, fillDraft } from '../world/defaults.ts'
import { kinds } from '../world/World.ts'
import { isObject } from '../world/mergePatch.ts'
import { sizeIssues } from './bounds.ts'
import { resolveClock } from './buildWorld.ts'
import { patchWorld } from './patchWorld.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'
import { accountPartSchema, homeOfField, scenarioSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

type Fields = Record<string, unknown>

/** The issues of a merged scenario: size first, then schema, then semantics. */
export function checkScenario(value: unknown, operations: readonly FaultTarget[]): PathIssue[] {
  const wrong = sizeIssues(value)
  if (wrong.length === 0) wrong.push(...schemaIssues(scenarioSchema, value, homeOfField))
  return wrong.length ? wrong : semanticIssues(value as ScenarioDocument, operations)
}

/** Records whose schema is checked at once: 10,000 services take some 200 ms. */
const sliceSize = 500

/** The same, but others get their turn in between. */
export async function checkScenarioInTurns(
  value: Fields,
  operations: readonly FaultTarget[],
): Promise<PathIssue[]> {
  const wrong = sizeIssues(value)
  if (wrong.length) return wrong
  const slices: { login: string; slice: Fields }[] = []
  const accounts = isObject(value['accounts']) ? { ...value['accounts'] } : undefined
  for (const [login, account] of Object.entries(accounts ?? {}))
    for (const kind of kinds) {
      const records = isObject(account) ? account[kind] : undefined
      const entries = isObject(records) ? Object.entries(records) : []
      if (!accounts || entries.length <= sliceSize) continue
      accounts[login] = { ...(accounts[login] as Fields), [kind]: {} }
      for (let from = 0; from < entries.length; from += sliceSize)
        slices.push({ login, slice: { [kind]: Object.fromEntries(entries.slice(from, from + sliceSize)) } })
    }
  wrong.push(...schemaIssues(scenarioSchema, accounts ? { ...value, accounts } : value, homeOfField))
  for (const { login, slice } of slices) {
    await nextTurn()
    wrong.push(...under(['accounts', login], schemaIssues(accountPartSchema, slice)))
  }
  return wrong.length ? wrong : semanticIssues(value as unknown as ScenarioDocument, operations)
}

/** @param scenario its schema has been checked */
function semanticIssues(
  { accounts, clock }: ScenarioDocument,
  operations: readonly FaultTarget[],
): PathIssue[] {
  return Object.entries(accounts).flatMap(([login, account]) => {
    const world = worldOf(emptyWorld(account.password, undefined, { offset: 0 }))
    const draft = { world, patch: { ...account }, named: account, isNew: true }
    const wrong = checkDraft(draft, operations)
    if (wrong.length === 0 && !account.generate) wrong.push(...dueIssues(draft, clock, operations))
    return wrong.map(({ path, missing, ...issue }) => ({
      ...issue,
      path: ['accounts', login, ...path],
      ...(missing && { missing: ['accounts', login, ...missing] }),
    }))
  })
}

/** What is wrong with the timeline of an account that is sound otherwise. */
function dueIssues(
  draft: Draft & { named: ScenarioAccount },
  clock: ScenarioDocument['clock'],
  operations: readonly FaultTarget[],
): PathIssue[] {
  const { named } = draft
  if (!named.timeline?.length) return []
  const set = named.clock ?? clock
  const isSet = typeof set === 'object' ? set.now !== undefined : set !== undefined
  const { now } = resolveClock(set, realTime())
  const empty = { ...dataOf(draft.world), clock: clockAt(now, true, now) }
  const world = worldOf({ ...empty, ...fillDraft(draft, now), timeline: {} })
  return timelineIssues(
    named.timeline,
    world,
    isSet ? now : undefined,
    operations,
    (then, patch) => patchWorld(then, patch, { operations }, now).issues,
  )
}
