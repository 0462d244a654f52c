import { basename, dirname, extname, join } from 'node:path'
import { Option, type Command } from 'commander'
import { crash, genericFaults, isObject } from '../simulator.ts'
import { shellQuote } from '../../lib/text.ts'
import type { RepeatedRun } from '../runs/Judge.ts'
import type { SweepSettings } from '../runs/sweep.ts'
import { isBad } from '../runs/report.ts'
import { pickBad, sweepVerdicts } from '../runs/verdict.ts'
import { renderScenario, writeSideFile } from '../../cli/files.ts'
import { parseList, parsePositive, parseYamlFile, numberParser } from '../../cli/flags.ts'
import { withAcceptedCells } from './acceptedCells.ts'
import { runTrials, withCommandArgument, withTrialFlags, type TrialFlags } from './trials.ts'

const explanation = `
The command runs once without a fault, to learn what it calls. Then it runs once per cell, each time against a fresh simulator.
A cell is a fault on a call, or two faults. Cells come in stages; \`--quick\` stops after the first:

  first calls     each operation's first call with each fault
  later calls     the second and the last call of each operation: 503, lost, stale (orderService#3 lost)
  lasting         503 and too-many-requests on all further calls of an operation (getService 503 lasting)
  overlap         with --overlap: the command twice at the same time
  recovery        a second fault on calls that the first one caused (orderService lost, then listServices+1 503)
  rerun           with --rerun: a fault in the second run (orderService lost, rerun with listServices 503)

With --thorough, the later stages try all faults instead of a few that stand for them: on the second and the last call of each
operation, on calls that the first fault caused, and in the second run. Besides, 503, lost and stale hit each later call, and, as
a second fault, the first and the last call of each operation after the first one. It takes many runs: use it nightly.

Faults are the documented cases of the operation (the same request then gets the same case again); 503, bad-gateway,
too-many-requests, not-json and error-200; reset, empty and truncate; for operations that change state, lost, cut,
gateway-timeout and no-response, which execute the call; for those that read, stale (one change behind); slow, if you name it;
and crash, if you name it or with --rerun: the call is executed, and the command is killed before the response.

A run gets the first verdict that applies:

  not triggered   it didn't make the call
  harm            it did damage: ordered twice, or ignored a 429
  orphaned        an order was carried out and billed, and no response showed it
  hang            it didn't end in time
  swallowed       it exits with 0, but the result differs
  noticed         it exits with an error
  survived        it exits with 0, and the result is right

With --rerun, a command that fails, hangs or is killed runs once more, as a queue, cron or a person would run it:

  recovered       it exits with 0, and the result is that of one run
  doubled         there are more records than after one run: ordered twice
  stuck           it fails again
  diverged        it exits with 0, and the result differs in another way

With --overlap, the command runs twice at the same time. The verdict is raced if the result isn't that of two runs in turn.

Exits with 1 for the red verdicts (harm, orphaned, hang, swallowed, doubled, stuck, diverged, raced), unless they are accepted.

Sweep a program or one happy path, not your test suite: its assertions would turn every fault into \`noticed\`. The command
finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, the name of the run in PROXYSIM_FAULT, and
in PROXYSIM_RUN_DIR a folder for its own data, which is empty at first.`

const examples = `
Examples:
  proxysim sweep -- node order.js
  proxysim sweep --rerun --overlap -- node order.js
  proxysim sweep --only orderService --faults lost -- node order.js
  proxysim sweep --accept accepted.yaml --report sweep.md sweep.json sweep.xml -- node order.js`

interface Flags extends TrialFlags {
  faults?: string[]
  quick?: boolean
  thorough?: boolean
  rerun?: boolean
  overlap?: boolean
  maxRuns?: number
  hold: number
  accept?: string
  writeAccepted?: string
}

export function sweep(command: Command): Command {
  const names = [...genericFaults, crash].map(({ name }) => name).join(', ')
  withCommandArgument(command.addHelpText('after', explanation))
    .option('--rerun', 'after each failed run, run the command again to check that it recovers')
    .option('--overlap', 'also run the command twice at the same time')
    .option('--only <operation...>', 'only faults of these operations', parseList)
    .option('--faults <name...>', `only these faults: cases, ${names}`, parseList)
    .option('--accept <file>', 'verdicts that do not fail the sweep, each with its reason (YAML)')
    .option(
      '--write-accepted <file>',
      "write this run's red verdicts to a file for --accept, keeping the reasons in it",
      parseYamlFile,
    )
    .option('--quick', 'only the first call of each operation')
    .addOption(
      new Option('--thorough', 'try all faults in the later stages, such as in a nightly job').conflicts(
        'quick',
      ),
    )
    .option(
      '--max-runs <n>',
      'maximum number of runs with faults (default: 300, or 3000 with --thorough)',
      parsePositive,
    )
    .option('--hold <seconds>', 'how long slow and no-response hold a response', numberParser(0.001, 600), 5)
    .option(
      '--timeout <seconds>',
      'time limit of a run, after which it counts as hanging (default: 5 times the run without faults, at least 10; 70 if the last response was a fault)',
      numberParser(0.001, 86_400),
    )
  return withTrialFlags(command, '; and a scenario for each red verdict')
    .addHelpText('after', examples)
    .action(run)
}

async function run(args: string[], flags: Flags, command: Command): Promise<void> {
  const { report: [report] = [], only = [], faults = [], timeout, hold, accept, writeAccepted } = flags
  const { quick = false, thorough = false, rerun = false, overlap = false } = flags
  const { maxRuns = thorough ? 3000 : 300 } = flags
  const repeat = (cell: RepeatedRun): string => formatRepeat(args, command, cell)
  // Written once the result is printed.
  const repros: (() => Promise<boolean>)[] = []
  const writeRepro: SweepSettings['writeRepro'] = async (cell, scenario) => {
    if (report === undefined) return null
    const folder = join(dirname(report), `${basename(report, extname(report))}.repro`)
    const file = join(folder, `${cell.cell.replaceAll(/[^\w.+#-]+/g, '-')}.yaml`)
    repros.push(() => writeSideFile(file, () => renderScenario(scenario, file, repeat(cell))))
    return file
  }
  const runs = await import('../runs/sweep.ts')
  await withAcceptedCells({ accept, writeAccepted }, pickBad(sweepVerdicts), (accepted) =>
    runTrials(args, flags, async (settings) => {
      const result = await runs.sweep({
        ...settings,
        only,
        faults,
        quick,
        thorough,
        rerun,
        overlap,
        maxRuns,
        hold: hold * 1000,
        accepted: accepted?.cells,
        timeout: timeout && timeout * 1000,
        repeat,
        writeRepro,
      })
      if (result.problem === undefined) accepted?.add(result.data.runs.filter(isBad))
      return result
    }),
  )
  for (const writeFile of repros) await writeFile()
}

/** Flags that choose the runs, or don't affect their results */
const omittedFlags: readonly string[] = [
  'only',
  'faults',
  'quick',
  'maxRuns',
  'accept',
  'writeAccepted',
  'report',
  'json',
  'verbose',
]

/** The command that repeats a run, with the flags and variables of the whole sweep. */
function formatRepeat(
  args: readonly string[],
  command: Command,
  { stage, operation, fault, then }: RepeatedRun,
): string {
  // The overlap stage has no fault of its own, and runs besides the first stage, so that one is kept short.
  const isOverlap = stage === 'overlap'
  const isQuick = stage === 'first' || isOverlap
  const omitted = [
    ...omittedFlags,
    ...(isQuick ? ['thorough'] : []),
    // Overlap needs no second runs, and no other stage needs overlap.
    isOverlap ? 'rerun' : 'overlap',
  ]
  // The flags that other commands share come first.
  const sharedFlags = command.options.toReversed().flatMap((option) => {
    const name = option.attributeName()
    const source = command.getOptionValueSource(name)
    if (source === undefined || source === 'default' || omitted.includes(name)) return []
    const value: unknown = command.getOptionValue(name)
    if (typeof value === 'boolean') return value === option.negate ? [] : [option.long ?? '']
    const values = isObject(value) ? Object.entries(value).map((pair) => pair.join('=')) : [value].flat()
    return [option.long ?? '', ...values.map(String)]
  })
  const operations = new Set([operation, then?.operation ?? operation])
  const faults = new Set(isOverlap ? ['503'] : [fault, then?.fault ?? fault])
  const only = operation === '' ? [] : ['--only', ...operations]
  const selection = [...(isQuick ? ['--quick'] : []), ...only, '--faults', ...faults]
  return shellQuote(['proxysim', 'sweep', ...selection, ...sharedFlags, '--', ...args])
}
