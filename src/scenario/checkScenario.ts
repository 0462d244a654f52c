import { plannedIssues, timelineIssues } from '../timeline/timelineIssues.ts'
import { dataOf, worldOf } from '../world/change.ts'
import { emptyWorld, fillDraft } from '../world/defaults.ts'
import { checkDraft, under, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { isObject } from '../world/mergePatch.ts'
import { clockAt, realTime } from '../world/time.ts'
import { kinds, type World } from '../world/World.ts'
import { sizeIssues } from './bounds.ts'
import { resolveClock } from './buildWorld.ts'
import { patchIssues, patchWorld } from './patchWorld.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'
import { accountPartSchema, homeOfField, scenarioSchema } from './schema.ts'
import { schemaIssues } from './schemaIssues.ts'

/** The issues of a merged scenario, in parts of which none takes long: size first, then schema, then semantics. */
export function* checkScenario(
  scenario: object,
  operations: readonly FaultTarget[],
): Generator<readonly PathIssue[]> {
  const large = sizeIssues(scenario)
  if (large.length > 0) return yield large
  let isSound = true
  for (const issues of formIssues(scenario as Record<string, unknown>)) {
    isSound &&= issues.length === 0
    yield issues
  }
  if (!isSound) return
  const { accounts, clock } = scenario as ScenarioDocument
  for (const [login, account] of Object.entries(accounts))
    yield under(['accounts', login], accountIssues(account, clock, operations))
}

/** Records whose schema is checked at once: 10,000 services take some 200 ms. */
const sliceSize = 500

function* formIssues(scenario: Record<string, unknown>): Generator<readonly PathIssue[]> {
  const accounts = isObject(scenario['accounts']) ? Object.entries(scenario['accounts']) : []
  const empty = accounts.map(([login, account]) => [login, withoutRecords(account)])
  yield schemaIssues(
    scenarioSchema,
    isObject(scenario['accounts']) ? { ...scenario, accounts: Object.fromEntries(empty) } : scenario,
    homeOfField,
  )
  for (const [login, account] of accounts)
    for (const kind of kinds) {
      const records = isObject(account) && isObject(account[kind]) ? Object.entries(account[kind]) : []
      for (let from = 0; from < records.length; from += sliceSize) {
        const part = { [kind]: Object.fromEntries(records.slice(from, from + sliceSize)) }
        yield under(['accounts', login], schemaIssues(accountPartSchema, part))
      }
    }
}

function withoutRecords(account: unknown): unknown {
  if (!isObject(account)) return account
  const given = kinds.filter((kind) => isObject(account[kind]))
  return { ...account, ...Object.fromEntries(given.map((kind) => [kind, {}])) }
}

/** What is wrong with an account whose schema has been checked. */
function accountIssues(
  account: ScenarioAccount,
  clock: ScenarioDocument['clock'],
  operations: readonly FaultTarget[],
): PathIssue[] {
  const world = worldOf(emptyWorld(account.password, undefined, { offset: 0 }))
  const draft = { world, patch: { ...account }, named: account, isNew: true }
  const set = account.clock ?? clock
  const isSet = typeof set === 'object' ? set.now !== undefined : set !== undefined
  const { now } = resolveClock(set, realTime())
  const shown = isSet ? clockAt(now, true, now) : undefined
  const entries = account.timeline ?? []
  const issues = [...checkDraft(draft, operations), ...timelineIssues(entries, shown, now, patchIssues)]
  if (issues.length > 0 || entries.length === 0 || account.generate) return issues
  const first = { ...dataOf(world), clock: clockAt(now, true, now), ...fillDraft(draft, now), timeline: {} }
  const check = (then: World, patch: object): readonly PathIssue[] =>
    patchWorld(then, patch, { operations }, now).issues
  return plannedIssues(entries, worldOf(first), now, operations, check)
}
