import { basename } from 'node:path'
import { Option, type Command } from 'commander'
import { crash, genericFaults } from '../simulator.ts'
import { matches } from '../runs/accepted.ts'
import { isRed } from '../runs/verdict.ts'
import { parseList, parsePositive, numberParser } from '../../cli/flags.ts'
import { ignoreFlag, withAcceptedCells, withAcceptedFlags, type AcceptedFlags } from './acceptedCells.ts'
import { printMessage } from '../../cli/output.ts'
import {
  formatRepeat,
  runTrials,
  verdictHelp,
  withCommandArgument,
  withTrialFlags,
  type TrialFlags,
} from './trials.ts'

const explanation = `
The command runs once without a fault, to learn what it calls. Then it runs once per cell, each time against a fresh simulator.
A cell is a fault on a call, or two faults. Cells come in stages; \`--quick\` stops after the first:

  first calls     each operation's first call with each fault
  later calls     the second and the last call of each operation: 503, lost, stale (orderService#3 lost)
  lasting         503 and too-many-requests on all further calls of an operation (getService 503 lasting)
  overlap         with --overlap: the command twice at the same time; overlap reset: also with a write refused by a reset
  recovery        a second fault on calls that the first one caused (orderService lost, then listServices+1 503)
  rerun           with --rerun: a fault in the second run (orderService lost, rerun with listServices 503)

With --thorough, the later stages try all faults instead of a few that stand for them: on the second and the last call of each
operation, on calls that the first fault caused, and in the second run. Besides, 503, lost and stale hit each later call, and, as
a second fault, the first and the last call of each operation after the first one. It takes many runs: use it nightly.

Faults are the documented cases of the operation (the same request then gets the same case again); 503, bad-gateway,
too-many-requests, not-json and error-200; reset, empty and truncate; for operations that change state, lost, cut,
gateway-timeout and no-response, which execute the call; for those that read, stale (one change behind); slow, if you name it;
and crash, if you name it or with --rerun: the call is executed, and the command is killed before the response.

Verdicts, red ones first; a run gets the worst that applies, and where another run follows, the last one decides:

${verdictHelp('sweep')}

With --rerun, a command that fails, hangs or is killed runs once more, as a queue, cron or a person would run it, against what it
left. With --overlap, the command runs twice at the same time; the result should be that of two runs in turn.

The result is what the API shows of the account, and the files in PROXYSIM_RUN_DIR; ids, times and what varies between runs
without faults are put aside. Exits with 1 for red verdicts, unless they are accepted.

Sweep a program or one happy path, not your test suite: its assertions would turn every fault into \`reported\`. The command
finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, the name of the run in PROXYSIM_FAULT, and
in PROXYSIM_RUN_DIR a folder for its own data, which is empty at first.`

const examples = `
Examples:
  proxysim sweep -- node order.js
  proxysim sweep --rerun --overlap -- node order.js
  proxysim sweep --only orderService --faults lost -- node order.js
  proxysim sweep --accept accepted.yaml --report sweep.md sweep.json sweep.xml -- node order.js`

interface Flags extends TrialFlags, AcceptedFlags {
  faults?: string[]
  cell?: string[]
  quick?: boolean
  thorough?: boolean
  rerun?: boolean
  overlap?: boolean
  maxRuns?: number
  hold: number
}

export function sweep(command: Command): Command {
  const names = [...genericFaults, crash].map(({ name }) => name).join(', ')
  withCommandArgument(command.addHelpText('after', explanation))
    .option('--quick', 'only the first call of each operation')
    .addOption(
      new Option('--thorough', 'try all faults in the later stages, such as in a nightly job').conflicts(
        'quick',
      ),
    )
    .option('--rerun', 'after each failed run, run the command again to check that it recovers')
    .option('--overlap', 'also run the command twice at the same time')
    .option('--only <operation...>', 'only faults of these operations', parseList)
    .option('--faults <name...>', `only these faults: cases, ${names}`, parseList)
    .option(
      '--cell <name...>',
      'only these cells, such as "orderService lost", as reports name them',
      collect,
    )
    .option(...ignoreFlag)
  withAcceptedFlags(command)
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
  return withTrialFlags(command).addHelpText('after', examples).action(run)
}

/** Adds a value to those of a repeated flag. Names of cells contain commas. */
function collect(name: string, before: readonly string[] = []): string[] {
  return [...before, name]
}

async function run(args: string[], flags: Flags, command: Command): Promise<void> {
  const { only = [], faults = [], cell: cells = [], timeout, hold } = flags
  const { quick = false, thorough = false, rerun = false, overlap = false } = flags
  const { maxRuns = thorough ? 3000 : 300 } = flags
  const runs = await import('../runs/sweep.ts')
  if (isTestRunner(args)) printMessage(testRunnerAdvice)
  const isTried = (key: string): boolean => mayBeTried(key, flags)
  await withAcceptedCells(flags, isTried, ({ cells: accepted, ignore, add }) =>
    runTrials(args, flags, async (settings) => {
      const result = await runs.sweep({
        ...settings,
        ignore,
        only,
        faults,
        cells,
        quick,
        thorough,
        rerun,
        overlap,
        maxRuns,
        hold: hold * 1000,
        accepted,
        isTried,
        timeout: timeout && timeout * 1000,
        repeat: (name) =>
          formatRepeat(command, args, [
            '--cell',
            name,
            ...(ignore.length > 0 ? ['--ignore', ...ignore] : []),
          ]),
      })
      if (result.problem === undefined) add(result.data.runs.filter(({ verdict }) => isRed(verdict)))
      return result
    }),
  )
}

const testRunnerAdvice =
  'Sweep the program, not its tests: assertions turn each fault into `reported`, and a simulator that a test starts gets no faults.'

const testRunners = [
  'ava',
  'bats',
  'jest',
  'mocha',
  'pest',
  'phpunit',
  'playwright',
  'pytest',
  'rspec',
  'vitest',
]

/** Whether a command runs tests, such as `npm test` or `vendor/bin/phpunit`. */
function isTestRunner(args: readonly string[]): boolean {
  const names = args.slice(0, 3).map((arg) => basename(arg).replace(/\.\w+$/, ''))
  return (
    names.some((name) => testRunners.includes(name)) ||
    /^(?:bun|cargo|composer|deno|go|node|npm|pnpm|yarn) (?:run )?(?:--)?t(?:est)?\b/.test(names.join(' '))
  )
}

/** Whether a sweep with these flags may try a cell with a key of an accept file. */
function mayBeTried(key: string, { only, faults, cell, quick, rerun, overlap }: Flags): boolean {
  if (cell) return cell.some((name) => matches(key, name))
  if (key.startsWith('overlap')) return overlap === true
  const [first = '', second] = key.split(/, (?:then|rerun with) /)
  if (key.includes(', rerun with ') && !rerun) return false
  if (quick && (second !== undefined || /#| lasting$/.test(key))) return false
  return [first, second].every((aim) => {
    if (aim === undefined) return true
    const [call = '', fault = ''] = aim.split(' ')
    const operation = call.replace(/[#+].*/, '')
    return (
      (!only || only.some((one) => matches(operation, one))) &&
      (!faults || faults.some((one) => matches(fault, one)))
    )
  })
}
