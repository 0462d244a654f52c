import { basename, dirname, extname, join } from 'node:path'
import { counted } from '../../lib/text.ts'
import { mishaps } from '../../faults/namedFaults.ts'
import { lineText, text } from '../../report/text.ts'
import { Signals } from '../../runs/Signals.ts'
import type { Cell } from '../../runs/plan.ts'
import type { Swept } from '../../runs/sweep.ts'
import { marks, sweepReport } from '../../runs/sweepReport.ts'
import type { SweepReport, SweepRun } from '../../runs/SweepRun.ts'
import type { Command } from 'commander'
import { ExitCode } from '../ExitCode.ts'
import { checkReports, shellQuote, writeReports, writeScenario } from '../files.ts'
import {
  jobsOption,
  list,
  seconds,
  startOptions,
  withReport,
  withStartFlags,
  type StartFlags,
} from '../flags.ts'
import { printResult } from '../output.ts'

const help = `
The command runs once without a fault, to learn what it calls. Then it runs once per call and fault: the fault strikes the
first call of the operation, each time against a fresh simulator. Faults are the documented cases of the operation; 503,
bad-gateway, too-many-requests and not-json; reset, empty and truncate; lost (carried out, but the response is lost; for
operations that change state); and, only if you name it, slow (5 s).

  harm         a finding that the command does not cause without the fault: an order paid twice, a throttle ignored
  swallowed    it exits with 0 although the result differs
  hang         it does not finish in time
  noticed      it exits with an error
  survived     it exits with 0 and reaches the same result
  not struck   the call wasn't made; no result

Sweep a program or one happy path, not your test suite: its assertions would turn every fault into \`noticed\`. The command
finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the name of the fault in
PROXYSIM_FAULT. Exits with 1 if there is harm, swallowed or hang.

Examples:
  proxysim sweep -- node order.js
  proxysim sweep --only orderService --faults lost -- node order.js
  proxysim sweep --report sweep.md sweep.json sweep.xml -- node order.js`

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
  const names = mishaps.map(({ name }) => name).join(', ')
  command
    .argument('<command...>', 'what to run, after --')
    .passThroughOptions()
    .option('--only <operation...>', 'only faults of these operations', list)
    .option('--faults <name...>', `only these faults: cases, ${names}`, list)
    .addOption(jobsOption())
    .option(
      '--timeout <seconds>',
      'how long a run may take before it counts as hanging (default: 5 times the run without faults, at least 10)',
      seconds,
    )
  withReport(command, '.md, .json, .xml (JUnit); and a scenario for each bad verdict')
  command.option('--verbose', "show the command's full output")
  return withStartFlags(command).addHelpText('after', help).action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: files = [], only = [], faults = [], jobs, timeout, verbose } = flags
  checkReports(files, ['.md', '.json', '.xml'])
  const { sweep: tryFaults } = await import('../../runs/sweep.ts')
  const signals = new Signals()
  try {
    const swept = await tryFaults({
      command,
      simulator: startOptions(flags),
      only,
      faults,
      jobs,
      timeout: timeout === undefined ? undefined : timeout * 1000,
      signals,
      repeat: (cell) => repeatOf(command, flags, cell),
      // Runs are concurrent, so each run's output is printed when it ends.
      onOutput: (name, printed, isFailed) => {
        if (verbose && printed !== '') process.stderr.write(`--- ${name}\n${printed.trimEnd()}\n`)
        else if (isFailed && printed.trim() !== '') process.stderr.write(`${printed.trimEnd()}\n`)
      },
      ...progress(),
    })
    if (swept) {
      await writeRepros(files[0], swept)
      const report = sweepReport(swept.report)
      printResult(flags, swept.report, () => text(report))
      await writeReports(files, report)
    }
    if (signals.received) process.exitCode = signals.exitCode
    else if (!swept?.report.passed) process.exitCode = ExitCode.found
  } finally {
    signals.release()
  }
}

/** Reports each run on standard error when it ends. */
function progress(): {
  onBaseline: (baseline: SweepReport['baseline'], runs: number) => void
  onRun: (run: SweepRun) => void
} {
  const { stderr } = process
  const took = (ms: number): string => `(${(ms / 1000).toFixed(1)} s)`
  let all = 0
  let done = 0
  return {
    onBaseline: ({ durationMs, requests, operations }, runs) => {
      all = runs
      const calls = `${counted(requests, 'request')} of ${operations.join(', ')}`
      stderr.write(`without faults: ${calls} ${took(durationMs)}; ${counted(runs, 'run')} to go\n`)
    },
    onRun: ({ operation, fault, verdict, durationMs }) => {
      const head = `[${String(++done).padStart(String(all).length)}/${all}]`
      const word = lineText({ text: verdict, mark: marks[verdict] }, stderr)
      stderr.write(`${head} ${operation} ${fault} ${word} ${took(durationMs)}\n`)
    },
  }
}

function repeatOf(command: readonly string[], flags: Flags, { operation, fault }: Cell): string {
  const { scenario, scenarios, contract, timeout, assume: readings = {}, explain } = flags
  const given = Object.entries({
    only: operation,
    faults: fault.name,
    scenario,
    scenarios,
    contract,
    timeout,
  })
  return shellQuote([
    'proxysim',
    'sweep',
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
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
    bad.repro = await writeScenario(join(folder, `${bad.operation}-${bad.fault}`), scenario, bad.repeat)
  }
}
