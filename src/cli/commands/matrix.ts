import type { Command } from 'commander'
import { counted } from '../../counted.ts'
import { seconds } from '../arguments.ts'
import { ExitCode } from '../ExitCode.ts'
import { firstWorld } from '../firstWorld.ts'
import {
  describeVerdict,
  matrixExtensions,
  matrixReports,
  whyFailed,
  type MatrixRun,
} from '../matrixReports.ts'
import { painter } from '../paint.ts'
import { print } from '../print.ts'
import { judgeReading, nameOf, readingsOf, type Reading, type ReadingVerdict } from '../readings.ts'
import { checkReports, writeReports } from '../reports.ts'
import { Signals } from '../Signals.ts'
import { startOptions, withStartFlags, type StartFlags } from '../startFlags.ts'
import { table } from '../table.ts'

const help = `
The API's documentation leaves some things open. The command runs once with the simulator's default reading, and once
for each other reading, each time against a fresh simulator. The table says which readings it survives:

  survives    it exits with 0
  fails       it exits with another code, or runs out of time
  not asked   it exits with 0, but never called an operation that the reading is about

The command finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the name of the reading
in PROXYSIM_READING. Exits with 1 if a reading fails, or if no run sent a request.

Examples:
  proxysim matrix -- npm test
  proxysim matrix --only orderedService geo=object -- npm test
  proxysim matrix --report matrix.md matrix.xml -- npm test
  proxysim exec --assume orderedService=Pending -- npm test     one reading, with the command's full output`

interface Flags extends StartFlags {
  only?: string[]
  timeout: number
  report?: string[]
  verbose?: boolean
  json?: boolean
}

export function matrix(command: Command): Command {
  return withStartFlags(
    command
      .argument('<command...>', 'what to run, after --')
      .passThroughOptions()
      .option('--only <id...>', 'only these assumptions, or readings of them (geo=object)')
      .option('--timeout <seconds>', 'fail a run that takes longer', seconds, 600)
      .option('--report <file...>', 'write reports: .md, .json, .xml (JUnit)')
      .option('--verbose', "show the command's full output")
      .option('--json', 'print JSON'),
  )
    .addHelpText('after', help)
    .action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: files = [] } = flags
  checkReports(files, matrixExtensions)
  const readings = await readingsToTry(flags)
  const signals = new Signals()
  try {
    const tried = await tryAll(command, flags, readings, signals)
    if (!tried) {
      process.exitCode = signals.exitCode
      return
    }
    const isTested = tried.some(({ requests }) => requests > 0)
    const survives = isTested && tried.every(({ verdict }) => verdict !== 'fails')
    const result = { survives, readings: tried }
    print(flags, result, () => matrixText(tried))
    await writeReports(files, matrixReports(result))
    if (!isTested)
      process.stderr.write(
        'proxysim: no run sent a request, so nothing was tested; does the command use PROXYSIM_URL?\n',
      )
    if (!survives) process.exitCode = ExitCode.found
  } finally {
    signals.release()
  }
}

/** @returns undefined if interrupted by a signal */
async function tryAll(
  command: string[],
  flags: Flags,
  readings: readonly Reading[],
  signals: Signals,
): Promise<MatrixRun[] | undefined> {
  const { trial } = await import('../trial.ts')
  const tried: MatrixRun[] = []
  for (const [i, reading] of [undefined, ...readings].entries()) {
    const tell = progress(i + 1, readings.length + 1, reading)
    const done = await trial({
      command,
      simulator: {
        ...startOptions(flags),
        ...(reading && { assumptions: { ...flags.assume, [reading.assumption]: reading.value } }),
      },
      env: { PROXYSIM_READING: nameOf(reading) },
      timeout: flags.timeout * 1000,
      journal: 0,
      signals,
      onOutput: (text) => {
        if (flags.verbose) process.stderr.write(text)
      },
    })
    if (signals.received) return undefined
    const { exitCode, timedOut, duration, output, seen } = done
    const verdict = judgeReading(reading, done)
    const { assumption = null, value = null, meaning = null } = reading ?? {}
    const { requests } = seen
    const durationMs = Math.round(duration)
    const judged = { assumption, value, meaning, verdict, exitCode, timedOut, requests, output, durationMs }
    tell(judged)
    if (!reading && verdict === 'fails')
      process.stderr.write(
        `proxysim: the command already fails with the default reading (${whyFailed(done)}); fix that first, as the other runs say little until then.\n`,
      )
    tried.push(judged)
  }
  return tried
}

/** If the scenario sets a reading, the default is one of the others to try. */
async function readingsToTry({ only = [], ...flags }: Flags): Promise<Reading[]> {
  const { contract, world } = await firstWorld(flags)
  return readingsOf(contract, { ...world.assumptions, ...world.limits }, only)
}

/** Reports a run on standard error: on a terminal when it starts, and everywhere when it ends. */
function progress(number: number, all: number, reading: Reading | undefined): (run: MatrixRun) => void {
  const { stderr } = process
  const head = `[${String(number).padStart(String(all).length)}/${all}] ${nameOf(reading)}`
  if (stderr.isTTY) stderr.write(`${head} …`)
  return ({ verdict, durationMs, timedOut }) => {
    const colour = { survives: 'green', fails: 'red', 'not asked': 'yellow' } as const
    const words = `${painter(stderr)(colour[verdict], verdict)}${timedOut ? ' (out of time)' : ''}`
    stderr.write(`${stderr.isTTY ? '\r' : ''}${head} ${words} (${(durationMs / 1000).toFixed(1)} s)\n`)
  }
}

function matrixText(tried: readonly MatrixRun[]): string {
  const paint = painter(process.stdout)
  const rows = tried.map((one) => [
    nameOf(one),
    describeVerdict(one),
    one.meaning ?? 'The default reading, unless the scenario has another.',
  ])
  const outputs = tried
    .filter(({ verdict, output }) => verdict === 'fails' && output.length > 0)
    .map(
      (one) =>
        `${paint('bold', `--- ${nameOf(one)}: the last lines of its output`)}\n${one.output.join('\n')}\n`,
    )
  return [table([['reading', 'verdict', 'what it means'], ...rows]), '', ...outputs, summary(tried)].join(
    '\n',
  )
}

function summary(tried: readonly MatrixRun[]): string {
  const named = (wanted: ReadingVerdict): string[] =>
    tried.filter(({ verdict }) => verdict === wanted).map(nameOf)
  const [survived, failed, vain] = [named('survives'), named('fails'), named('not asked')]
  return [
    failed.length
      ? `The client does not survive ${failed.length} of ${tried.length} readings: ${failed.join(', ')}.`
      : `The client survives ${survived.length} of ${tried.length} readings.`,
    ...(vain.length
      ? [`${counted(vain.length, 'reading')} not tested: it never called an operation they are about.`]
      : []),
  ].join(' ')
}
