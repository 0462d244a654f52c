import { extname } from 'node:path'
import { InvalidArgumentError, type Command } from 'commander'
import type { Calibration } from '../calibration/Calibration.ts'
import { isSameFile } from '../../lib/files.ts'
import { counted, listNames } from '../../lib/text.ts'
import { text } from '../../report/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { ExitCode } from '../../cli/ExitCode.ts'
import { renderScenario, writeReports, writeSideFile } from '../../cli/files.ts'
import { parseList, parsePercent, reportParser, parseScenarioFile, withAccount } from '../../cli/flags.ts'
import { printResult, printMessage } from '../../cli/output.ts'

const help = `
The recording is replayed against the simulator in memory, once for each interpretation of the gaps in the
documentation. An interpretation is confirmed if it reproduces the recording. HAR files from any recorder or browser
work; \`proxysim record\` creates one. Several files are judged together.

  holds         the default reproduces it; every alternative that would respond differently does not
  other         an alternative reproduces it (the table says \`differs\`)
  contradicts   none reproduces it
  undecided     the recording does not distinguish them; the calls of examples/probe.sh would

Passwords, user names, e-mail and IP addresses, and everything that is not in the contract are replaced by placeholders
in all output. Exits with 1 if the fidelity is below --min-fidelity,
or if anything listed in --fail-on occurs.

Examples:
  proxysim calibrate real.har
  proxysim calibrate real.har --write real.yaml && proxysim serve -s real.yaml
  proxysim calibrate real.har --json --fail-on violation,contradiction --report calibration.md`

const failures = ['violation', 'contradiction', 'difference']

interface Flags {
  write?: string
  report?: string[]
  json?: boolean
  minFidelity?: number
  failOn?: string[]
  keep?: string[]
  account?: string
  host?: string
  override?: string
}

export function calibrate(command: Command): Command {
  const recordings: string[] = []
  /** Wraps the parser of a variadic flag. Arguments that end in .har are recordings, not values of the flag. */
  const withRecordings =
    (parse: (word: string, before: readonly string[]) => string[]) =>
    (word: string, before: string[] = []): string[] => {
      if (extname(word) !== '.har') return parse(word, before)
      recordings.push(word)
      return before
    }
  command
    .argument('[file...]', 'recordings (HAR)')
    .option(
      '--write <file>',
      'write a scenario with the state at the start of the recording (of the group with the most calls, if there are several)',
      parseScenarioFile,
    )
    .option('--report <file...>', `write reports: ${kinds}`, withRecordings(reportParser(kinds)))
    .option('--json', 'print JSON')
    .option(
      '--min-fidelity <percent>',
      'exit with 1 if fewer than this percentage of the judged exchanges match',
      parsePercent,
    )
    .option(
      '--fail-on <what...>',
      `exit with 1 if there is any of: ${failures.join(', ')}`,
      withRecordings(parseFailOn),
    )
    .option('--keep <field...>', 'show the real values of these fields', withRecordings(parseList))
  return withAccount(
    command,
    'account to judge, if there are several: a login, or a placeholder in the recording such as account-2',
  )
    .option('--host <host>', 'host to judge, if there are several')
    .option('--override <file>', 'judge with these overrides (docs/extend.md)')
    .addHelpText('after', help)
    .action((named: string[], flags: Flags) => run([...named, ...recordings], flags))
}

const kinds = '.md, .json'

function parseFailOn(words: string, before: readonly string[]): string[] {
  const named = parseList(words, before)
  if (named.every((one) => failures.includes(one))) return named
  throw new InvalidArgumentError(`It must be one or more of ${failures.join(', ')}.`)
}

async function run(files: readonly string[], flags: Flags): Promise<void> {
  if (files.length === 0)
    throw new UserError('A recording is missing.', { advice: 'Pass a HAR file: proxysim calibrate real.har' })
  const { report: reportFiles = [], failOn: failing = [], keep = [], write: file } = flags
  const outputFiles = file === undefined ? reportFiles : [...reportFiles, file]
  const overwritten = outputFiles.find((output) => files.some((one) => isSameFile(output, one)))
  if (overwritten !== undefined)
    throw new UserError(`${overwritten} is the recording.`, { advice: 'Write to another file.' })

  const { loadContract } = await import('../../contract/loadContract.ts')
  const { readRecordings } = await import('../calibration/readRecordings.ts')
  const { calibrate: calibrateRecordings } = await import('../calibration/calibrate.ts')
  const { calibrationReport } = await import('../calibration/calibrationReport.ts')
  const { loadOverrides } = await import('../simulator.ts')
  const contract = await loadContract()
  const overrides = flags.override === undefined ? undefined : await loadOverrides(flags.override, contract)
  const recordings = await readRecordings(files, contract, { account: flags.account, host: flags.host, keep })
  for (const note of recordings.notes) printMessage(note)
  const calibrated = await calibrateRecordings(recordings, contract, overrides)
  const { calibration, scenario, leftOut, scenarioSource } = calibrated
  const report = calibrationReport(calibrated)
  printResult(flags, calibration, () => text(report), { keepColours: true })
  for (const failure of listFailures(calibration, flags.minFidelity, failing)) {
    printMessage(failure)
    process.exitCode = ExitCode.failed
  }
  await writeReports(reportFiles, report)
  if (file !== undefined && (await writeSideFile(file, () => renderScenario(scenario, file)))) {
    if (leftOut.length > 0)
      printMessage(
        `${file} leaves out what a scenario can't contain: ${listNames(leftOut, 10)}. Calls that show it get other responses.`,
      )
    printMessage(
      `Wrote ${file}${recordings.groups.length > 1 ? `, with the state at the start of ${scenarioSource}, the group with the most calls` : ''}. Start from it: proxysim serve --scenario ${file}`,
    )
  }
}

/** Returns a message for each failure that --min-fidelity and --fail-on detect. */
function listFailures(
  { assumptions, violations, behaviour }: Calibration,
  minFidelity: number | undefined,
  failing: readonly string[],
): string[] {
  const contradicted = assumptions.filter(({ verdict }) => verdict === 'contradicts').map(({ id }) => id)
  const { fidelity, same, differ } = behaviour
  const found: [isFailure: boolean, message: string][] = [
    [
      minFidelity !== undefined && fidelity === null,
      'No exchange could be judged, so there is no fidelity to compare with --min-fidelity.',
    ],
    // The displayed fidelity is rounded.
    [
      (100 * same) / (same + differ) < (minFidelity ?? 0),
      `The fidelity is ${fidelity} %, below ${minFidelity} %.`,
    ],
    [
      failing.includes('violation') && violations.length > 0,
      `The real service breaks the contract in ${counted(violations.length, 'way')}.`,
    ],
    [
      failing.includes('contradiction') && contradicted.length > 0,
      `No interpretation reproduces the recording for ${contradicted.join(', ')}.`,
    ],
    [
      failing.includes('difference') && differ > 0,
      `The simulator responds differently in ${counted(differ, 'exchange')}.`,
    ],
  ]
  return found.flatMap(([isFailure, message]) => (isFailure ? [message] : []))
}
