import { basename, dirname, extname, join } from 'node:path'
import type { Command } from 'commander'
import { mishaps } from '../../faults/namedFaults.ts'
import { counted } from '../../lib/text.ts'
import { text } from '../../report/text.ts'
import type { Cell } from '../../runs/plan.ts'
import { Signals } from '../../runs/Signals.ts'
import { ExitCode } from '../ExitCode.ts'
import { checkReports, renderers, shellQuote, writeReports, writeScenario } from '../files.ts'
import {
  list,
  seconds,
  startOptions,
  withCommand,
  withStartFlags,
  withTrialFlags,
  type StartFlags,
} from '../flags.ts'
import { printResult, progressOf } from '../output.ts'

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
  withCommand(command, '.md, .json, .xml (JUnit); and a scenario for each bad verdict')
    .option('--only <operation...>', 'only faults of these operations', list)
    .option('--faults <name...>', `only these faults: cases, ${names}`, list)
    .option(
      '--timeout <seconds>',
      'how long a run may take before it counts as hanging (default: 5 times the run without faults, at least 10)',
      seconds,
    )
  return withStartFlags(withTrialFlags(command)).addHelpText('after', help).action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: files = [], only = [], faults = [], jobs, timeout, verbose } = flags
  checkReports(files, Object.keys(renderers))
  const runs = await import('../../runs/sweep.ts')
  const { sweepReport } = await import('../../runs/sweepReport.ts')
  const { markOf } = await import('../../runs/verdicts.ts')
  const { stderr } = process
  const tell = progressOf()
  let all = 0
  await Signals.during(async (signals) => {
    const result = await runs.sweep({
      command,
      simulator: startOptions(flags),
      only,
      faults,
      jobs,
      timeout: timeout === undefined ? undefined : timeout * 1000,
      signals,
      repeat: (cell) => repeatOf(command, flags, cell),
      onOutput: (name, printed) => {
        if (verbose && printed !== '') stderr.write(`--- ${name}\n${printed.trimEnd()}\n`)
      },
      onFailure: (printed) => {
        if (!verbose && printed.trim() !== '') stderr.write(`${printed.trimEnd()}\n`)
      },
      onBaseline: ({ durationMs, requests, operations }, count) => {
        all = count
        const calls = `${counted(requests, 'request')} of ${operations.join(', ')}`
        const took = `(${(durationMs / 1000).toFixed(1)} s)`
        stderr.write(`without faults: ${calls} ${took}; ${counted(count, 'run')} to go\n`)
      },
      onRun: ({ operation, fault, verdict, durationMs }) =>
        tell(`${operation} ${fault}`, { text: verdict, mark: markOf(verdict) }, durationMs, all),
      writeRepro: async ({ operation, fault, repeat }, scenario) => {
        const [report] = files
        if (report === undefined) return null
        const folder = join(dirname(report), `${basename(report, extname(report))}.repro`)
        return writeScenario(join(folder, `${operation}-${fault}`), scenario, repeat)
      },
    })
    if (result) {
      const report = sweepReport(result)
      printResult(flags, result, () => text(report))
      await writeReports(files, report)
    }
    if (signals.received) process.exitCode = signals.exitCode
    else if (!result?.passed) process.exitCode = ExitCode.found
  })
}

/** The command that repeats a run */
function repeatOf(command: readonly string[], flags: Flags, { operation, fault }: Cell): string {
  const { scenario, scenarios, contract, timeout, assume = {}, explain } = flags
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
    ...Object.entries(assume).flatMap(([id, reading]) => ['--assume', `${id}=${reading}`]),
    ...(explain === false ? ['--no-explain'] : []),
    '--',
    ...command,
  ])
}
