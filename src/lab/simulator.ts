import type { RunningSimulator } from '../server.ts'
import type { SourceText } from '../scenario/SourceText.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import { importOnce } from '../lib/onDemand.ts'

/*
 * All that the lab uses of the simulator. Nothing else in `lab/` imports from outside `lab/`, except from `contract/`,
 * `client/`, `report/` and `lib/`, and `lab/commands/` from `cli/`.
 */

const loadServer = importOnce(async () => {
  const server = await import('../server.ts')
  await server.loadLaterCode() // A command that runs against the simulator may rebuild the package.
  return server
})

/** Starts a simulator in this process. The server is loaded now, so that `record` doesn't load it. */
export async function startServer(options?: SimulatorOptions): Promise<RunningSimulator> {
  const server = await loadServer()
  return server.startServer(options)
}

/** Reads a YAML or JSON file whose values can be located. @param expected what it must be @throws ScenarioError */
export async function readYamlFile(file: string, expected: string): Promise<SourceText> {
  const { readSource, readSourceText } = await import('../scenario/SourceText.ts')
  return readSource(await readSourceText(file), file, false, expected)
}

export { localState, type Simulation } from '../Simulation.ts'
export type { SimulatorOptions } from '../SimulatorOptions.ts'
export { crash, genericFaults, presetsFor, type FaultPreset } from '../faults/presets.ts'
export type { Injection } from '../http/Injection.ts'
export { severities } from '../findings/FindingRule.ts'
export { Findings, findingRules, withoutExplained, type Finding } from '../findings/findings.ts'
export { authenticate } from '../http/authenticate.ts'
export { readCredentials } from '../http/credentials.ts'
export { admit, perform, type Evaluation } from '../http/api.ts'
export { hostGuard, pageGuard, resolveAddress } from '../http/guards.ts'
export { listen } from '../http/listen.ts'
export { loadOverrides } from '../http/loadOverrides.ts'
export type { LoadedOverrides } from '../http/overrides.ts'
export { findRoute } from '../http/findRoute.ts'
export { parseRequest, type ApiRequest } from '../http/parseRequest.ts'
export type { RequestHead } from '../http/Wire.ts'
export { Coverage, coverageKey } from '../journal/Coverage.ts'
export { Journal } from '../journal/Journal.ts'
export type { JournalRecord } from '../journal/JournalRecord.ts'
export type { RefusedReport } from '../journal/RefusedRequests.ts'
export { assumptionUses, type AssumptionUse } from '../journal/assumptionUse.ts'
export { coverageLine, coverageReport, coverageShortfall, coverageTable } from '../journal/coverageReport.ts'
export { getEntry } from '../journal/getEntry.ts'
export { har } from '../journal/har.ts'
export { redacted, isSecretName } from '../journal/redact.ts'
export { reproduceRecord } from '../reproduce.ts'
export type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
export { ScenarioError } from '../scenario/ScenarioError.ts'
export { toYaml } from '../scenario/toYaml.ts'
export { checkScenario } from '../scenario/checkScenario.ts'
export { exportAccount } from '../scenario/exportScenario.ts'
export {
  asShown,
  assignedIds,
  getNoun,
  limitByAssumption,
  normalize,
  shownBalance,
  spend,
  addressPattern,
  parseIpLine,
  quoteField,
  describeChange,
  orderLookups,
} from '../service/index.ts'
export {
  type Facts,
  type Interpretation,
  isEmptyBody,
  type Observation,
  type ObservedCall,
  parseTime,
} from '../service/shows/facts.ts'
export {
  applyFacts,
  completeWorld,
  createWorld,
  omitUnknown,
  valueAt,
  withNextIds,
} from '../service/shows/applyFacts.ts'
export { areBindingsKnown, derivedPaths } from '../service/shows/derivedPaths.ts'
export {
  addNestedFields,
  addressFields,
  correctStart,
  ipListFields,
  isListedCompletely,
  requiredFields,
} from '../service/shows/fields.ts'
export { factPath, isVolatile, itemKeys, observe } from '../service/shows/observe.ts'
export { firstReads, followUpReads } from '../service/shows/reads.ts'
export { findTimings, showsZone, statesNextUpdate } from '../service/shows/timing.ts'
export { watchReads } from '../service/shows/watchReads.ts'
export type { Assumptions } from '../service/values.ts'
export {
  kinds,
  getInterpretation,
  type Kind,
  type World,
  type WorldChange,
  type Fault,
} from '../world/World.ts'
export { applyPatch, diffWorlds } from '../world/change.ts'
export { isObject, mergePatch, diffPatch } from '../world/mergePatch.ts'
export {
  toIsoString,
  realTime,
  isRealDate,
  parseDateTime,
  clockAt,
  getAccountTime,
  type Instant,
} from '../world/time.ts'
