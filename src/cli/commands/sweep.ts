import { basename, dirname, extname, join } from 'node:path'
import type { Command } from 'commander'
import { genericFaults } from '../../faults/namedFaults.ts'
import { defined } from '../../lib/json.ts'
import type { Cell } from '../../runs/plan.ts'
import type { SweepSettings } from '../../runs/sweep.ts'
import { shellQuote, writeScenario } from '../files.ts'
import { list, numberFrom } from '../flags.ts'
import { runTrials, withCommand, withTrialFlags, type TrialFlags } from '../trials.ts'

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
  not triggered   the call wasn't made; no result

Sweep a program or one happy path, not your test suite: its assertions would turn every fault into \`noticed\`. The command
finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the name of the fault in
PROXYSIM_FAULT. Exits with 1 if there is harm, swallowed or hang.

Examples:
  proxysim sweep -- node order.js
  proxysim sweep --only orderService --faults lost -- node order.js
  proxysim sweep --report sweep.md sweep.json sweep.xml -- node order.js`

interface Flags extends TrialFlags {
  faults?: string[]
}

export function sweep(command: Command): Command {
  const names = genericFaults.map(({ name }) => name).join(', ')
  withCommand(command, undefined, '; and a scenario for each bad verdict')
    .option('--only <operation...>', 'only faults of these operations', list)
    .option('--faults <name...>', `only these faults: cases, ${names}`, list)
    .option(
      '--timeout <seconds>',
      'how long a run may take before it counts as hanging (default: 5 times the run without faults, at least 10)',
      numberFrom(0.001, 86_400),
    )
  return withTrialFlags(command).addHelpText('after', help).action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: [report] = [], only = [], faults = [], timeout } = flags
  const repeat = (cell: Cell): string => repeatOf(command, flags, cell)
  const writeRepro: SweepSettings['writeRepro'] = async (cell, scenario) => {
    if (report === undefined) return null
    const folder = join(dirname(report), `${basename(report, extname(report))}.repro`)
    const file = join(folder, `${cell.operation}-${cell.fault.name}.yaml`)
    await writeScenario(file, scenario, repeat(cell))
    return file
  }
  const runs = await import('../../runs/sweep.ts')
  await runTrials(command, flags, (settings) =>
    runs.sweep({ ...settings, only, faults, timeout: timeout && timeout * 1000, repeat, writeRepro }),
  )
}

/** The command that repeats a run */
function repeatOf(command: readonly string[], flags: Flags, { operation, fault }: Cell): string {
  const { scenario, scenarios, contract, timeout, assume = {}, explain } = flags
  const given = defined({ only: operation, faults: fault.name, scenario, scenarios, contract, timeout })
  const interpretations = Object.entries(assume).map(([id, interpretation]) => [
    'assume',
    `${id}=${interpretation}`,
  ])
  const words = [...Object.entries(given), ...interpretations].flatMap(([name, value]) => [
    `--${name}`,
    `${value}`,
  ])
  const unexplained = explain === false ? ['--no-explain'] : []
  return shellQuote(['proxysim', 'sweep', ...words, ...unexplained, '--', ...command])
}
