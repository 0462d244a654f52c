import type { Command } from 'commander'
import { count } from '../arguments.ts'
import { ExitCode } from '../ExitCode.ts'
import { painter } from '../paint.ts'
import { print } from '../print.ts'
import { nameOf, type Reading } from '../readings.ts'
import { startOptions, withStartFlags, type StartFlags } from '../startFlags.ts'
import { table } from '../table.ts'
import type { Trial, Verdict } from '../trial.ts'
import { UserError } from '../../UserError.ts'

const help = `
The documentation of the API leaves some things open. The command runs once as the simulator reads it by default, and
once for each other reading, every time against a simulator that starts equal. The table says which it survives:

  survives    it exits with 0
  fails       it does not, or not in time
  not asked   it exits with 0, but never called an operation that the reading is about

The command finds the simulator by PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the reading by
PROXYSIM_READING. Exits with 1 where a reading is not survived.

Examples:
  proxysim matrix -- npm test
  proxysim matrix --only orderedService geo=object -- npm test
  proxysim exec --assume orderedService=Pending -- npm test     one reading, with all that the command prints`

interface Flags extends StartFlags {
  only?: string[]
  timeout: number
  verbose?: boolean
  json?: boolean
}

/** `proxysim matrix -- CMD` */
export function matrix(command: Command): Command {
  return withStartFlags(
    command
      .argument('<command...>', 'what to run, after --')
      .passThroughOptions()
      .option('--only <id...>', 'only these assumptions, or readings of them (geo=object)')
      .option('--timeout <seconds>', 'a run that takes longer fails', count, 600)
      .option('--verbose', 'show all that the command prints')
      .option('--json', 'print JSON'),
  )
    .addHelpText('after', help)
    .action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { trial } = await import('../trial.ts')
  const readings = await readingsToTry(flags)
  const options = {
    command,
    simulator: startOptions(flags),
    timeout: flags.timeout * 1000,
    onOutput: (text: string) => {
      if (flags.verbose) process.stderr.write(text)
    },
  }
  const trials: Trial[] = []
  for (const [i, reading] of [undefined, ...readings].entries()) {
    const tell = progress(i + 1, readings.length + 1, reading)
    const done = await trial(reading, options)
    if (done.passedOn) {
      process.exitCode = done.passedOn === 'SIGINT' ? 130 : 143
      return
    }
    tell(done)
    if (!reading && done.verdict !== 'survives') process.stderr.write(`${warning(done)}\n`)
    trials.push(done)
  }
  const isFailed = trials.some(({ verdict }) => verdict === 'fails')
  print(flags, resultOf(trials), () => report(trials))
  if (isFailed) process.exitCode = ExitCode.found
}

/** Where the scenario itself says how something is read, the default is another reading to try. */
async function readingsToTry({ only = [], ...flags }: Flags): Promise<Reading[]> {
  const { startServer } = await import('../../server.ts')
  const { readingsOf } = await import('../readings.ts')
  const { simulation, close } = await startServer(startOptions(flags))
  try {
    const [world] = Object.values(simulation.store.state.accounts)
    if (!world) throw new UserError('The scenario has no account.')
    return readingsOf(simulation.contract, { ...world.assumptions, ...world.limits }, only)
  } finally {
    await close()
  }
}

/** Tells of a run on standard error: on a terminal while it goes on, everywhere when it is done. */
function progress(number: number, all: number, reading: Reading | undefined): (done: Trial) => void {
  const { stderr } = process
  const head = `[${String(number).padStart(String(all).length)}/${all}] ${reading ? nameOf(reading) : 'default'}`
  if (stderr.isTTY) stderr.write(`${head} …`)
  return ({ verdict, duration, timedOut }) => {
    const text = `${colour(stderr, verdict)}${timedOut ? ' (out of time)' : ''} (${(duration / 1000).toFixed(1)} s)`
    stderr.write(`${stderr.isTTY ? '\r' : ''}${head} ${text}\n`)
  }
}

function warning({ verdict, exitCode }: Trial): string {
  return verdict === 'fails'
    ? `proxysim: the command fails already with the default reading (exit ${exitCode}); what follows tells little until that is mended.`
    : 'proxysim: the command sent no request at all; does it use PROXYSIM_URL?'
}

function colour(stream: NodeJS.WriteStream, verdict: Verdict): string {
  const format = { survives: 'green', fails: 'red', 'not asked': 'yellow' } as const
  return painter(stream)(format[verdict], verdict)
}

function report(trials: readonly Trial[]): string {
  const paint = painter(process.stdout)
  const rows = trials.map(({ reading, verdict, exitCode, timedOut }) => [
    reading ? nameOf(reading) : 'default',
    `${verdict}${verdict === 'fails' ? ` (${timedOut ? 'out of time' : `exit ${exitCode}`})` : ''}`,
    reading?.meaning ?? 'The reading that the simulator has where nothing else is said.',
  ])
  const failed = trials.filter(({ verdict }) => verdict === 'fails')
  const outputs = failed.map(
    ({ reading, output }) =>
      `${paint('bold', `--- ${reading ? nameOf(reading) : 'default'}: the last lines of its output`)}\n${output.join('\n')}\n`,
  )
  return [table([['reading', 'verdict', 'what it means'], ...rows]), '', ...outputs, summary(trials)].join(
    '\n',
  )
}

function summary(trials: readonly Trial[]): string {
  const named = (wanted: Verdict): string[] =>
    trials
      .filter(({ verdict }) => verdict === wanted)
      .map(({ reading }) => (reading ? nameOf(reading) : 'default'))
  const [survived, failed, vain] = [named('survives'), named('fails'), named('not asked')]
  return [
    failed.length
      ? `The client does not survive ${failed.length} of ${trials.length} readings: ${failed.join(', ')}.`
      : `The client survives ${survived.length} of ${trials.length} readings.`,
    ...(vain.length ? [`${vain.length} tell nothing, as it never asked what they are about.`] : []),
  ].join(' ')
}

function resultOf(trials: readonly Trial[]): unknown {
  return {
    survives: trials.every(({ verdict }) => verdict !== 'fails'),
    readings: trials.map(({ reading, duration, ...rest }) => ({
      assumption: reading?.assumption ?? null,
      value: reading?.value ?? null,
      meaning: reading?.meaning ?? null,
      ...rest,
      durationMs: Math.round(duration),
    })),
  }
}
