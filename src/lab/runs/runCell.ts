import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  clockAt,
  getAccountTime,
  parseDateTime,
  type Instant,
  type JournalRecord,
  type Simulation,
} from '../simulator.ts'
import type { Cell } from './Cell.ts'
import type { EndFacts } from './endState.ts'
import { Injector, type TracedCall } from './Injector.ts'
import { extension } from './limits.ts'
import { observe, withSimulator, type Observations, type StartedSimulator } from './runAgainstSimulator.ts'
import type { CommandResult } from './runCommand.ts'
import { listFiles, readOtherFiles, readRunFiles } from './runFiles.ts'
import { showOutput, type TrialSettings } from './trials.ts'

/** A run of a command within a trial. */
export interface TrialRun extends CommandResult {
  /** The observations of this run alone */
  own: Observations
  /** The result of this run and those before it */
  facts: EndFacts
  /** Names of all files in its folder */
  fileNames: string[]
}

/** The runs of a command against one simulator. */
export interface Trial {
  simulation: Simulation
  /** The calls of all runs, in the order of their arrival */
  calls: readonly TracedCall[]
  first: TrialRun
  /** The runs that followed because the one before had failed */
  more: TrialRun[]
  /** The observations of all runs */
  all: Observations
  /** Identifies what the first run left, if it failed */
  state?: string
}

export interface CellSettings extends TrialSettings {
  /** The variable that gives the command the name of its run */
  variable: 'PROXYSIM_FAULT' | 'PROXYSIM_INTERPRETATION'
  /** Time limit of a run in milliseconds */
  limit: number
  /** Whether the limit is extended where the last response of an operation was an injected failure, as clients back off */
  isExtended?: boolean
  /** Milliseconds for which a held response is held */
  hold?: number
  /** Called before the command starts */
  prepare?: (simulation: Simulation) => void
  /** Decides whether another run follows a failed one. @param state identifies what it left behind */
  mayRunAgain?: (state: string) => boolean
}

/** The name of a run without faults */
export const withoutFaults = 'none'

/** The name of a run with the scenario's own interpretations */
export const withoutAlternatives = 'default'

/**
 * Runs a command against its own simulator, with the faults of a cell, and again after a failure.
 * @param name the name of the run
 * @throws Interrupted
 */
export async function runCell(settings: CellSettings, name: string, cell?: Cell): Promise<Trial> {
  const { variable, limit, isExtended = false, hold = 0, prepare, mayRunAgain = () => false } = settings
  let kill = new AbortController()
  return runInFolder(settings, async ({ simulation, run }, folder) => {
    prepare?.(simulation)
    const isObserved = name === withoutFaults || name === withoutAlternatives
    const injector = new Injector(simulation, {
      cell,
      hold,
      onKill: () => kill.abort(),
      ...(!isObserved && { onStuck: () => kill.abort('stuck') }),
    })
    const all = observe(simulation, journalSize)
    const runOnce = async (): Promise<TrialRun> => {
      kill = new AbortController()
      const own = observe(simulation, journalSize)
      const began = performance.now()
      const isFirst = injector.run === 1
      const ended = await run({
        env: { [variable]: isFirst ? name : withoutFaults, PROXYSIM_RUN_DIR: folder },
        timeout: limit + (cell && holdsIn(cell, injector.run) ? hold : 0),
        extension: () =>
          isExtended ? extension(injector.calls, injector.run, performance.now() - began) : 0,
        kill: kill.signal,
      })
      await injector.settle()
      own.end()
      showRun(settings, name, ended)
      const facts = await readFacts(all, folder, settings.ignore)
      return { ...ended, own, facts, fileNames: await listFiles(folder) }
    }
    const first = await runOnce()
    const trial: Trial = { simulation, calls: injector.calls, first, more: [], all }
    if (hasFailed(first)) trial.state = await readState(first.facts, all, folder)
    for (let last = first; hasFailed(last) && trial.more.length < maxMore; trial.more.push(last)) {
      const until = getThrottleEnd(last.own.journal.records)
      const isExpected = trial.more.length === 0 || (cell?.second?.run === 2 && trial.more.length === 1)
      // If the second run was throttled, it runs again after the throttle.
      if (!isExpected && until === undefined) break
      if (trial.more.length === 0 && !mayRunAgain(trial.state ?? '')) break
      settings.signals.throwIfReceived()
      if (until) await advanceClock(simulation, until)
      injector.startRun()
      last = await runOnce()
    }
    return trial
  })
}

/** Maximum number of runs after the first one: with a fault, without, and after a throttle */
const maxMore = 3

/** Maximum number of requests in the journal of a run */
export const journalSize = 10_000

/** Runs work with a simulator and an empty folder for the client's data. */
export async function runInFolder<T>(
  settings: TrialSettings,
  work: (started: StartedSimulator, folder: string) => Promise<T>,
): Promise<T> {
  const { command, signals, simulator } = settings
  signals.throwIfReceived()
  const folder = await mkdtemp(join(tmpdir(), 'proxysim-run-'))
  try {
    return await withSimulator(
      { command, signals, simulator, journal: journalSize, stdout: 'captured' },
      async (started) => {
        const done = await work(started, folder)
        signals.throwIfReceived()
        return done
      },
    )
  } finally {
    // Files that the client made unreadable stay; the results matter more.
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

export function showRun({ verbose }: TrialSettings, name: string, { printed }: CommandResult): void {
  if (verbose) showOutput(`--- ${name}\n${printed}`)
}

export function hasFailed({ exitCode, timedOut }: CommandResult): boolean {
  return exitCode !== 0 || timedOut
}

export async function readFacts(
  { changes }: Observations,
  folder: string,
  ignored: readonly string[],
): Promise<EndFacts> {
  return { effects: changes.effects, files: await readRunFiles(folder, changes.assigned, ignored) }
}

/**
 * Identifies what a run left behind. Unlike the end state, it includes locks, databases and folders, as the next run may stop at them,
 * and findings: a lost order stays lost unless the next run looks it up.
 */
async function readState(
  { effects, files }: EndFacts,
  { changes, findings }: Observations,
  folder: string,
): Promise<string> {
  const others = await readOtherFiles(folder, changes.assigned)
  const lines = [...effects, ...files].map(
    ({ subject, fields }) =>
      `${subject} ${JSON.stringify(fields.map((field) => field.join(' ')).toSorted())}`,
  )
  const found = findings.list.map(({ finding, operation }) => `${finding} ${operation}`)
  return [...lines.toSorted(), ...others, ...found.toSorted()].join('\n')
}

function holdsIn({ fault, second }: Cell, run: number): boolean {
  return (run === 1 && fault.holds) || (second?.run === run && second.fault.holds)
}

/** The last failed request of a run, if it is a 429 that names a time, with that time. */
function getThrottleEnd(records: readonly JournalRecord[]): { login: string; at: Instant } | undefined {
  const last = records.findLast(({ status }) => status === null || status >= 400)
  if (last?.status !== 429 || last.account === null) return undefined
  const { account: login, time, responseHeaders, responseBody = '', before } = last
  const seconds = Number([responseHeaders['retry-after']].flat()[0])
  if (seconds > 0) return { login, at: time + seconds * 1000 }
  const [text] = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(responseBody) ?? []
  return text === undefined
    ? undefined
    : { login, at: parseDateTime(text, before?.assumptions.timeZone ?? 'UTC') }
}

/** Sets the clock of an account to a time, unless it has passed. */
async function advanceClock(
  { store }: Simulation,
  { login, at }: { login: string; at: Instant },
): Promise<void> {
  await store.transact(login, (world, real) => {
    if (!world || getAccountTime(world.clock, real) >= at) return { value: undefined }
    const { clock } = world
    return { value: undefined, change: { clock: clockAt(at, 'frozen' in clock, real, clock.rate) } }
  })
}
