import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { InvalidArgumentError, type Command } from 'commander'
import type { Calibration } from '../../calibration/Calibration.ts'
import { isSameFile } from '../../isSameFile.ts'
import { UserError } from '../../UserError.ts'
import { percent } from '../arguments.ts'
import { ExitCode } from '../ExitCode.ts'
import { openFile } from '../openFile.ts'
import { print } from '../print.ts'
import { checkReports, writeReports } from '../reports.ts'
import { checkScenarioFile, scenarioText } from '../scenarioText.ts'
import { writing } from '../writing.ts'
import { counted } from '../../counted.ts'

const help = `
The recording is replayed against the simulator in memory, once for each reading of what the documentation leaves open.
The reading whose answers match the recorded ones holds. HAR from any recorder will do, browsers included;
\`proxysim record\` makes one. Several files are judged together; each archive of \`record\` is replayed from its own start.

  holds         the default reading agrees, and no other reading that the recording can tell apart does
  other         another reading agrees
  contradicts   no reading agrees
  undecided     nothing in the recording tells the readings apart; \`proxysim probe\` prints calls that would

Passwords, user names, e-mail and IP addresses, and anything the contract does not know are replaced by stand-ins in all
output. A report in .har that exists already is replaced if it directly follows its flag (--report=judged.har).

Exits with 1 if --min-fidelity or --fail-on is not met.

Examples:
  proxysim calibrate real.har
  proxysim calibrate real.har --open
  proxysim calibrate real.har --write real.yaml && proxysim serve --scenario real.yaml
  proxysim calibrate real.har --json --fail-on drift,contradiction --report calibration.md calibration.sarif`

const failures = ['drift', 'contradiction', 'difference'] as const
type Failure = (typeof failures)[number]

interface Flags {
  write?: string
  report?: string[]
  open?: boolean
  json?: boolean
  minFidelity?: number
  failOn?: Failure[]
  keep?: string[]
  login?: string
  contract?: string
}

export function calibrate(command: Command): Command {
  return command
    .argument('[file...]', 'recordings (HAR)')
    .option('--write <file>', 'write a scenario that starts where the recorded account did')
    .option(
      '--report <file...>',
      'write reports: .html, .md, .json, .xml (JUnit), .sarif, .har (with stand-ins)',
    )
    .option('--open', 'open the report in the browser: one file that loads nothing')
    .option('--json', 'print JSON')
    .option('--min-fidelity <percent>', 'exit with 1 if fewer of the judged exchanges match', percent)
    .option(
      '--fail-on <what>',
      `exit with 1 if there is any of: ${failures.join(', ')} (comma-separated)`,
      failOn,
    )
    .option('--keep <field...>', 'show the real values of these fields')
    .option('--login <login>', 'which account to judge, if there are several (a name or account-2)')
    .option('--contract <file>', 'an OpenAPI file to use instead of the bundled one')
    .addHelpText('after', help)
    .action(run)
}

function failOn(text: string, before: readonly Failure[] = []): Failure[] {
  const named = text.split(',').map((one) => one.trim())
  for (const one of named)
    if (!(failures as readonly string[]).includes(one))
      throw new InvalidArgumentError(
        `It must be one or more of: ${failures.join(', ')}, separated by commas.`,
      )
  return [...before, ...(named as Failure[])]
}

/** What directly follows the flag */
function reportsNamed(args: readonly string[]): string[] {
  return args.flatMap((arg, i) => {
    if (args[i - 1] === '--report') return [arg]
    return arg.startsWith('--report=') ? [arg.slice('--report='.length)] : []
  })
}

/**
 * Flags with several values also consume the arguments after them. An archive there that exists is a recording, if none is
 * named before the flags.
 */
function recordingsIn(
  named: string[],
  { report = [], keep = [] }: Flags,
): { files: string[]; report: string[]; keep: string[] } {
  const reports = reportsNamed(process.argv)
  const isArchive = (file: string): boolean => file.endsWith('.har') && existsSync(file)
  const isReport = (file: string): boolean => reports.includes(file) || !isArchive(file)
  const isField = (text: string): boolean => !text.endsWith('.har')
  const behind = report.filter((file) => !isReport(file))
  if (named.length > 0 && behind[0] !== undefined)
    throw new UserError(
      `${behind[0]} exists already. To write a report over it, --report=${behind[0]}; if it is a recording, name it before --report.`,
    )
  const files = [...named, ...behind, ...keep.filter((text) => !isField(text))]
  if (files.length === 0) throw new UserError('Name a recording: `proxysim calibrate real.har`.')
  return { files, report: report.filter(isReport), keep: keep.filter(isField) }
}

/** @throws UserError if a recording would be written over */
function checkOverwrites(written: readonly string[], recordings: readonly string[]): void {
  const lost = written.find((file) => recordings.some((recording) => isSameFile(file, recording)))
  if (lost !== undefined)
    throw new UserError(`${lost} is the recording to judge. Write to another file, or it would be lost.`)
}

async function run(named: string[], flags: Flags): Promise<void> {
  const { calibrationExtensions, calibrationReports } = await import('../../calibration/reports/reports.ts')
  const { files, report, keep } = recordingsIn(named, flags)
  checkReports(report, calibrationExtensions)
  checkOverwrites([...report, ...(flags.write === undefined ? [] : [flags.write])], files)
  const { loadContract } = await import('../../contract/loadContract.ts')
  const { readRecordings } = await import('../../calibration/readRecordings.ts')
  const { calibrate: judge } = await import('../../calibration/calibrate.ts')
  const contract = await loadContract(flags.contract)
  const recordings = await readRecordings(files, contract, { login: flags.login, keep })
  for (const note of recordings.notes) process.stderr.write(`proxysim: ${note}\n`)
  const progress = progressOf()
  const { calibration, scenario, scenarioOf } = await judge(recordings, contract, progress.tell)
  progress.end()
  if (flags.write !== undefined) {
    checkScenarioFile(flags.write)
    await writing(flags.write, await scenarioText(scenario, flags.write))
    if (recordings.groups.length > 1)
      process.stderr.write(
        `proxysim: ${flags.write} has the world of ${scenarioOf}, which has the most calls\n`,
      )
  }
  const page = report.find((file) => extname(file) === '.html') ?? (flags.open ? temporaryPage() : undefined)
  await writeReports(
    [...new Set(page === undefined ? report : [...report, page])],
    calibrationReports(calibration, recordings.groups),
  )
  const { calibrationText } = await import('../calibrationText.ts')
  print(flags, calibration, () => {
    const wrote =
      flags.write === undefined ? '' : `Wrote ${flags.write}: proxysim serve --scenario ${flags.write}`
    return `${calibrationText(calibration)}\n${wrote}`
  })
  if (flags.open && page !== undefined) process.stderr.write(`proxysim: ${await openFile(page)}\n`)
  for (const shortfall of shortfallsOf(calibration, flags)) {
    process.stderr.write(`proxysim: ${shortfall}\n`)
    process.exitCode = ExitCode.found
  }
}

/** In its own folder, which nobody else can read. */
function temporaryPage(): string {
  return join(mkdtempSync(join(tmpdir(), 'proxysim-')), 'calibration.html')
}

function shortfallsOf(
  { assumptions, drift, behaviour }: Calibration,
  { minFidelity, failOn: what = [] }: Flags,
): string[] {
  const contradicted = assumptions.filter(({ verdict }) => verdict === 'contradicts').map(({ id }) => id)
  const { fidelity, same, differ } = behaviour
  return [
    ...(minFidelity !== undefined && fidelity === null
      ? ['nothing could be judged, so there is no fidelity']
      : []),
    ...(minFidelity !== undefined && fidelity !== null && (100 * same) / (same + differ) < minFidelity
      ? [`the fidelity is ${fidelity} %, below ${minFidelity} %`]
      : []),
    ...(what.includes('drift') && drift.length > 0
      ? [`the real service breaks the contract in ${counted(drift.length, 'way')}`]
      : []),
    ...(what.includes('contradiction') && contradicted.length > 0
      ? [`no reading agrees for ${contradicted.join(', ')}`]
      : []),
    ...(what.includes('difference') && differ > 0
      ? [`${counted(differ, 'exchange')} with another answer`]
      : []),
  ]
}

/** Reports progress on standard error once a second; nothing if it takes less. */
function progressOf(): { tell: (done: number, all: number) => Promise<void>; end: () => void } {
  const { stderr } = process
  let next = performance.now() + 1000
  let isShown = false
  return {
    async tell(done, all) {
      if (performance.now() < next) return
      next = performance.now() + 1000
      isShown = true
      const text = `replayed ${done} of about ${all} exchanges`
      stderr.write(stderr.isTTY ? `\r${text}\u001B[K` : `proxysim: ${text}\n`)
      await nextTurn()
    },
    end() {
      if (isShown && stderr.isTTY) stderr.write('\r\u001B[K')
    },
  }
}
