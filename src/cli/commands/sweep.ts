import { availableParallelism } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { Option, type Command } from 'commander'
import type { Cell } from '../../sweep/plan.ts'
import type { Observed, Swept } from '../../sweep/sweep.ts'
import type { SweepReport, SweepRun } from '../../sweep/SweepReport.ts'
import { atLeastOne, seconds } from '../arguments.ts'
import { ExitCode } from '../ExitCode.ts'
import { firstWorld } from '../firstWorld.ts'
import { print } from '../print.ts'
import { checkReports, writeReports } from '../reports.ts'
import { shellQuote } from '../shellQuote.ts'
import { Signals } from '../Signals.ts'
import { startOptions, withStartFlags, type StartFlags } from '../startFlags.ts'
import { sweepExtensions, sweepReports } from '../sweepReports.ts'
import { sweepText, verdictWord } from '../sweepText.ts'
import { writeRepro } from '../writeRepro.ts'
import { counted } from '../../counted.ts'

const help = `
The command runs once without a fault, to learn what it calls. Then it runs once for each operation it calls and each
fault that the operation can meet. The fault strikes the first call, each time against a fresh simulator. Faults are the
documented cases of the operation, 503, reset, empty, truncate, lost (carried out, but the answer is lost; for operations
that change state) and, only if you name it, slow (5 s).

  harm         a finding that the command does not cause without the fault: an order paid twice, a throttle ignored
  swallowed    it exits with 0, but the final state differs: nobody noticed
  hang         it does not finish in time
  noticed      it exits with an error
  survived     it exits with 0 and reaches the same final state
  not struck   the call never came, so the run proves nothing

The command finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the name of the fault in
PROXYSIM_FAULT. Exits with 1 if there is harm, swallowed or hang.

Examples:
  proxysim sweep -- npm test
  proxysim sweep --only orderService --faults lost -- node client.js
  proxysim sweep --report sweep.md sweep.json junit.xml -- npm test`

interface Flags extends StartFlags {
  only?: string[]
  faults?: string[]
  jobs: number
  timeout?: number
  report?: string[]
  verbose?: boolean
  json?: boolean
}

export function sweep(command: Command): Command {
  return withStartFlags(
    command
      .argument('<command...>', 'what to run, after --')
      .passThroughOptions()
      .option('--only <operation...>', 'only faults of these operations')
      .option('--faults <name...>', 'only these faults: cases, 503, reset, empty, truncate, lost, slow')
      .addOption(
        new Option('--jobs <n>', 'how many runs at the same time')
          .default(availableParallelism(), 'the number of cores')
          .argParser(atLeastOne),
      )
      .option(
        '--timeout <seconds>',
        'how long a run may take before it counts as hanging (default: 5 times the run without faults, at least 10)',
        seconds,
      )
      .option(
        '--report <file...>',
        'write reports: .md, .json, .xml (JUnit); and a scenario for each bad verdict',
      )
      .option('--verbose', "show the command's full output")
      .option('--json', 'print JSON'),
  )
    .addHelpText('after', help)
    .action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: files = [], only = [], faults = [] } = flags
  checkReports(files, sweepExtensions)
  const { checkWanted } = await import('../../sweep/plan.ts')
  const { sweep: sweepThrough } = await import('../../sweep/sweep.ts')
  const { contract, world } = await firstWorld(flags)
  checkWanted({ only, faults }, contract)
  const signals = new Signals()
  try {
    const swept = await sweepThrough({
      command,
      contract,
      world,
      only,
      faults,
      jobs: flags.jobs,
      timeout: flags.timeout === undefined ? undefined : flags.timeout * 1000,
      run: (cell, timeout) => observe(command, flags, signals, cell, timeout),
      repeat: (cell) => repeatOf(command, flags, cell),
      ...progress(),
    })
    if (swept) {
      await writeRepros(files[0], swept)
      print(flags, swept.report, () => sweepText(swept.report))
      await writeReports(files, sweepReports(swept.report))
    }
    if (signals.received) process.exitCode = signals.exitCode
    else if (!swept?.report.passed) process.exitCode = ExitCode.found
  } finally {
    signals.release()
  }
}

/** Minimum number of requests to keep per run, as a report shows those that tell why. */
const journal = 10_000

async function observe(
  command: readonly string[],
  flags: Flags,
  signals: Signals,
  cell: Cell | undefined,
  timeout: number,
): Promise<Observed | undefined> {
  if (signals.received) return undefined
  const { trial } = await import('../trial.ts')
  const { EffectRecorder } = await import('../../sweep/EffectRecorder.ts')
  const { FirstCallFault } = await import('../../sweep/FirstCallFault.ts')
  let recorder: InstanceType<typeof EffectRecorder> | undefined
  let fault: InstanceType<typeof FirstCallFault> | undefined
  let printed = ''
  const name = cell ? `${cell.operation} ${cell.fault.name}` : 'none'
  const { seen, ...done } = await trial({
    command,
    simulator: startOptions(flags),
    env: { PROXYSIM_FAULT: name },
    timeout,
    journal: Math.max(journal, flags.journal ?? 0),
    signals,
    onOutput: (text) => {
      if (flags.verbose) printed += text
    },
    prepare: (simulation) => {
      recorder = new EffectRecorder(simulation)
      if (cell) fault = new FirstCallFault(simulation, cell.operation, cell.fault)
    },
  })
  if (signals.received) return undefined
  // Runs are concurrent, so each run's output is printed when it ends.
  if (printed !== '') process.stderr.write(`--- ${name}\n${printed.trimEnd()}\n`)
  if (!cell && done.exitCode !== 0 && !flags.verbose) process.stderr.write(`${done.output.join('\n')}\n`)
  return {
    ...done,
    requests: seen.requests,
    called: seen.called,
    findings: seen.findings,
    effects: recorder?.effects ?? [],
    entries: () => seen.entries,
    strike: fault?.strike,
  }
}

/** Reports each run on standard error when it ends. */
function progress(): {
  onBaseline: (baseline: SweepReport['baseline'], runs: number) => void
  onRun: (run: SweepRun) => void
} {
  const { stderr } = process
  let all = 0
  let done = 0
  return {
    onBaseline: ({ durationMs, requests, operations }, runs) => {
      all = runs
      const calls = `${counted(requests, 'request')} of ${operations.join(', ')}`
      stderr.write(
        `without faults: ${calls} (${(durationMs / 1000).toFixed(1)} s); ${counted(runs, 'run')} to go\n`,
      )
    },
    onRun: ({ operation, fault, verdict, durationMs }) => {
      const head = `[${String(++done).padStart(String(all).length)}/${all}]`
      const took = `(${(durationMs / 1000).toFixed(1)} s)`
      stderr.write(`${head} ${operation} ${fault} ${verdictWord(verdict, stderr)} ${took}\n`)
    },
  }
}

function repeatOf(command: readonly string[], flags: Flags, { operation, fault }: Cell): string {
  const { scenario, scenarios, contract, timeout, assume: readings = {}, explain } = flags
  const given = { scenario, scenarios, contract, timeout }
  return shellQuote([
    'proxysim',
    'sweep',
    '--only',
    operation,
    '--faults',
    fault.name,
    ...Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    ),
    ...Object.entries(readings).flatMap(([id, reading]) => ['--assume', `${id}=${reading}`]),
    ...(explain === false ? ['--no-explain'] : []),
    '--',
    ...command,
  ])
}

/** Writes the scenario of each bad run next to the first report: `sweep.repro/orderService-lost.yaml`. */
async function writeRepros(report: string | undefined, { repros }: Swept): Promise<void> {
  if (report === undefined) return
  const folder = join(dirname(report), `${basename(report, extname(report))}.repro`)
  for (const [bad, scenario] of repros) {
    bad.repro = await writeRepro(join(folder, `${bad.operation}-${bad.fault}`), scenario)
  }
}
