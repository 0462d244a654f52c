import { availableParallelism } from 'node:os'
import { Option, type Command } from 'commander'
import { lineText, text } from '../../report/text.ts'
import { toExitCode, Interrupted, Signals } from '../runs/runCommand.ts'
import type { Result, TrialSettings } from '../runs/trials.ts'
import { ExitCode } from '../../cli/ExitCode.ts'
import { writeReports } from '../../cli/files.ts'
import {
  parsePositive,
  reportKinds,
  reportParser,
  simulatorFlags,
  toSimulatorOptions,
  withStartFlags,
  type StartFlags,
} from '../../cli/flags.ts'
import { printResult, printMessage } from '../../cli/output.ts'

/** Flags of commands that run another command several times. */
export interface TrialFlags extends StartFlags {
  only?: string[]
  jobs: number
  timeout?: number
  report?: string[]
  verbose?: boolean
  json?: boolean
}

/** Adds the argument of exec, matrix and sweep. */
export function withCommandArgument(command: Command): Command {
  return command.argument('<command...>', 'the command to run, after --').passThroughOptions()
}

/** Adds the flags for the results of exec, matrix and sweep, after those that only one of them has. */
export function withResultFlags(command: Command, kinds = reportKinds, moreKinds = ''): Command {
  return command
    .option('--report <file...>', `write reports: ${kinds}${moreKinds}`, reportParser(kinds))
    .option('--json', 'print JSON')
}

/** Adds the flags that matrix and sweep share. */
export function withTrialFlags(command: Command, moreKinds?: string): Command {
  const jobs = new Option('--jobs <n>', 'number of parallel runs')
  jobs.default(availableParallelism(), 'the number of cores').argParser(parsePositive)
  command.addOption(jobs).option('--verbose', "show the command's full output")
  withResultFlags(command, reportKinds, moreKinds)
  return withStartFlags(command.optionsGroup(simulatorFlags))
}

/** Runs a command several times, prints the result of each run, and prints and writes the report. */
export async function runTrials<Data>(
  command: string[],
  flags: TrialFlags,
  run: (settings: TrialSettings) => Promise<Result<Data>>,
): Promise<void> {
  const { report: files = [], jobs, verbose } = flags
  const simulator = await toSimulatorOptions(flags)
  await Signals.run(async (signals) => {
    const settings = { command, simulator, jobs, verbose, signals, onRun: createProgressPrinter() }
    try {
      const { data, report, passed, problem } = await run(settings)
      printResult(flags, data, () => text(report), { keepColours: true })
      if (problem !== undefined) printMessage(problem)
      if (!passed) process.exitCode = ExitCode.failed
      await writeReports(files, report)
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
    }
    if (signals.received) process.exitCode = toExitCode(signals.received)
  })
}

/** Creates a callback that prints the result of each run on standard error. */
function createProgressPrinter(): TrialSettings['onRun'] {
  const { stderr } = process
  let done = 0
  return (name, verdict, durationMs, total) => {
    const head = `[${String(++done).padStart(String(total).length)}/${total}]`
    stderr.write(`${head} ${name} ${lineText(verdict, stderr)} (${(durationMs / 1000).toFixed(1)} s)\n`)
  }
}
