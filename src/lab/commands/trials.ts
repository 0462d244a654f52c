import { availableParallelism } from 'node:os'
import { Option, type Command } from 'commander'
import { shellQuote } from '../../lib/text.ts'
import { lineText, text } from '../../report/text.ts'
import { describeVerdict, verdicts, type Trials } from '../runs/verdict.ts'
import { isObject } from '../simulator.ts'
import { toExitCode } from '../../lib/signals.ts'
import { Interrupted, Signals } from '../runs/runCommand.ts'
import type { Result, TrialSettings } from '../runs/trials.ts'
import { ExitCode } from '../../cli/ExitCode.ts'
import { writeReports } from '../../cli/files.ts'
import {
  defaultUrl,
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
export function withResultFlags(command: Command, kinds = reportKinds): Command {
  return command
    .option('--report <file...>', `write reports: ${kinds}`, reportParser(kinds))
    .option('--json', 'print JSON')
}

/** Adds the flags that matrix and sweep share. */
export function withTrialFlags(command: Command): Command {
  const jobs = new Option('--jobs <n>', 'number of parallel runs')
  jobs.default(availableParallelism(), 'the number of cores').argParser(parsePositive)
  command.addOption(jobs).option('--verbose', "show the command's full output")
  withResultFlags(command)
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
    const onRun = createProgressPrinter()
    const settings = { command, simulator, jobs, verbose, signals, ignore: [], onRun }
    try {
      const { data, report, passed, problem } = await run(settings)
      printResult(flags, data, () => text(report), { keepColours: true })
      if (problem !== undefined) printMessage(problem)
      if (!passed) process.exitCode = ExitCode.failed
      const written = await writeReports(files, report)
      for (const file of written.filter((one) => one.endsWith('.json')))
        printMessage(
          `Open ${file} in the dashboard of a running simulator: ${process.env['PROXYSIM_URL'] ?? defaultUrl}/#/reports`,
        )
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
    }
    if (signals.received) process.exitCode = toExitCode(signals.received)
  })
}

/** The red verdicts, then the others, each with a sentence, for the help */
export function verdictHelp(command: Trials): string {
  return verdicts
    .map((name) => {
      const sentence = describeVerdict(name).sentence[command]
      return `  ${name.padEnd(15)} ${sentence.replace(/^[A-Z]/, (c) => c.toLowerCase()).replace(/\.$/, '')}`
    })
    .join('\n')
}

/** Flags that choose the runs, or don't affect their results */
const omittedFlags: readonly string[] = [
  'only',
  'faults',
  'cell',
  'ignore',
  'quick',
  'thorough',
  'overlap',
  'maxRuns',
  'accept',
  'writeAccepted',
  'report',
  'json',
  'verbose',
]

/** The command that repeats a run, with all flags and variables that affect its result. @param selection the flags that select it */
export function formatRepeat(
  command: Command,
  args: readonly string[],
  selection: readonly string[],
): string {
  const flags = command.options.flatMap((option) => {
    const name = option.attributeName()
    const source = command.getOptionValueSource(name)
    if (source === undefined || source === 'default' || omittedFlags.includes(name)) return []
    const value: unknown = command.getOptionValue(name)
    if (typeof value === 'boolean') return value === option.negate ? [] : [option.long ?? '']
    const values = isObject(value) ? Object.entries(value).map((pair) => pair.join('=')) : [value].flat()
    return [option.long ?? '', ...values.map(String)]
  })
  return shellQuote(['proxysim', command.name(), ...selection, ...flags, '--', ...args])
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
