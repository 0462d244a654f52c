import { join } from 'node:path'
import { Option, type Command } from 'commander'
import type { CoverageReport, JournalEntry } from '../../contract/shapes.ts'
import {
  coverageLine,
  coverageReport,
  coverageShortfall,
  coverageTable,
  assumptionUses,
  type AssumptionUse,
  type Finding,
  severities,
  type JournalRecord,
  har,
  getEntry,
  type RefusedReport,
  type ScenarioDocument,
} from '../simulator.ts'
import { countBy } from '../../lib/groups.ts'
import { counted, shellQuote } from '../../lib/text.ts'
import { json, plainText, type Case, type Line, type Section, type Report } from '../../report/Report.ts'
import { text } from '../../report/text.ts'
import type { ObservedRun } from '../runs/runAgainstSimulator.ts'
import { Signals } from '../runs/runCommand.ts'
import { ExitCode } from '../../cli/ExitCode.ts'
import { renderScenario, writeReports, writeSideFile } from '../../cli/files.ts'
import { findingsSection, formatIds } from '../../cli/findingsSection.ts'
import {
  defaultUrl,
  parsePercent,
  reportKinds,
  simulatorFlags,
  toSimulatorOptions,
  withStartFlags,
  type StartFlags,
} from '../../cli/flags.ts'
import { printResult, printMessage } from '../../cli/output.ts'
import { refusedCells } from '../../cli/refusedCells.ts'
import { withCommandArgument, withResultFlags } from './trials.ts'

/** Output folder for reproductions, relative to the working directory */
const reproFolder = 'proxysim-repro'

const explanation = `
The simulator runs in memory on a free port until the command ends. The command finds it through PROXYSIM_URL,
PROXYSIM_LOGIN and PROXYSIM_PASSWORD. Coverage and findings include requests before resets and loads.

Exits with the command's exit code, or with 3 if the command succeeds but coverage is too low (--min-coverage) or there is a
finding of a severity that --fail-on names, or a higher one. The report begins with a verdict and the findings. If the command
failed, the refused requests after which nothing succeeded follow, with case and reason. In JUnit reports, findings and a failed
command are failures. SIGTERM is forwarded to the command; Ctrl-C in a terminal reaches it directly.`

const examples = `
Examples:
  proxysim exec -- npm test
  proxysim exec -s low-funds --report coverage.md coverage.xml -- npx vitest run
  proxysim exec --assume productSort=desc -- npm test
  proxysim exec --on-failure repro -- npm test
  proxysim exec --questions -- npm test`

interface Flags extends StartFlags {
  journal: number
  minCoverage?: number
  report?: string[]
  json?: boolean
  failOn?: Finding['severity']
  questions?: boolean
  onFailure?: 'repro'
}

export function exec(command: Command): Command {
  withCommandArgument(command.addHelpText('after', explanation))
    .option('--min-coverage <percent>', 'exit with 3 if coverage is lower', parsePercent)
    .addOption(
      new Option('--fail-on <severity>', 'exit with 3 if there is a finding this severe, or worse').choices(
        severities,
      ),
    )
    .addOption(
      new Option(
        '--on-failure <what>',
        `write a scenario for each finding, and if the command fails, for each refused request, to ${reproFolder}/`,
      ).choices(['repro']),
    )
    .option('--questions', "print the run's unconfirmed assumptions as questions to ask the provider")
  withResultFlags(command, `${reportKinds}, .har`)
  return withStartFlags(command.optionsGroup(simulatorFlags)).addHelpText('after', examples).action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: files = [], journal, minCoverage, failOn } = flags
  const { runAgainstSimulator, describeUnreached } = await import('../runs/runAgainstSimulator.ts')
  const { localState } = await import('../simulator.ts')
  const simulator = await toSimulatorOptions(flags)
  await Signals.run(async (signals) => {
    const stdout = flags.json ? 'stderr' : 'inherit'
    const observed = await runAgainstSimulator({ command, simulator, journal, signals, stdout })
    const { exitCode } = observed
    const hasFailed = exitCode !== ExitCode.ok
    const coverage = observed.coverage()
    const shortfall = coverageShortfall(coverage, minCoverage)
    const problem = shortfall ?? describeFindings(observed.findings.list, failOn)
    process.exitCode = hasFailed || problem === undefined ? exitCode : ExitCode.lowCoverage
    const repros = flags.onFailure ? await reproduce(observed) : []
    const worlds = [...localState(observed.simulation).accounts.values()]
    const used = assumptionUses(observed.simulation.contract, worlds, observed.authenticated).filter(
      (one) => one.used,
    )
    const report = execReport(command, observed, {
      coverage,
      showsCoverage: shortfall !== undefined,
      repros: repros.map(({ file }) => file),
      used,
      questions: flags.questions ? used.filter(({ confirmed }) => !confirmed) : [],
      flags,
    })
    if (!flags.json) process.stdout.write('\n')
    printResult(flags, report.data, () => text(report), { keepColours: true })
    const nothingSent = 'The command sent no request to the API. Does it use PROXYSIM_URL?'
    const warning = observed.journal.total > 0 ? problem : (describeUnreached(observed) ?? nothingSent)
    // An interrupted command may not have sent its first request yet.
    if (warning !== undefined && signals.received === undefined) printMessage(warning)
    const renderHar = (): string =>
      json(har(observed.journal.records.map(getEntry), observed.simulation.isEncrypted))
    await writeReports(files, report, { '.har': renderHar })
    for (const { file, scenario, curl } of repros)
      await writeSideFile(file, () => renderScenario(scenario, file, curl))
  })
}

/** Describes the findings of a severity or a higher one; undefined if there are none. */
function describeFindings(
  findings: readonly Finding[],
  severity: Finding['severity'] | undefined,
): string | undefined {
  const counting = severity === undefined ? [] : severities.slice(0, severities.indexOf(severity) + 1)
  const names = findings.filter((one) => counting.includes(one.severity)).map(({ finding }) => finding)
  if (names.length === 0) return undefined
  return `${counted(names.length, 'finding')} of severity ${counting.join(' or ')}: ${[...new Set(names)].join(', ')}.`
}

/** Maximum number of requests to write; earlier ones are left out */
const maxWritten = 50

interface ReproFile {
  file: string
  scenario: ScenarioDocument
  curl: string
}

/**
 * Creates a scenario for the first request of each finding, and, if the command failed, for each refused request. Their curl
 * commands don't use the address of the run's simulator, because it has stopped.
 */
async function reproduce(observed: ObservedRun): Promise<ReproFile[]> {
  const { exitCode, findings, journal, simulation } = observed
  const { reproduceRecord } = await import('../simulator.ts')
  const names = new Map(findings.list.map(({ finding, requests: [first] }) => [first?.id, finding]))
  const nameOf = ({ id, case: name }: JournalRecord): string | null =>
    names.get(id) ?? (exitCode === ExitCode.ok ? null : name)
  const files: ReproFile[] = []
  for (const record of journal.records.filter((one) => nameOf(one) !== null).slice(-maxWritten)) {
    const { id, operation } = record
    const found = await reproduceRecord(simulation.store, record, defaultUrl, true)
    const file = join(reproFolder, `${id}-${operation ?? 'unknown'}-${nameOf(record)}.yaml`)
    if (found) files.push({ ...found, file })
  }
  return files
}

/** Maximum number of refused requests to show if a command fails */
const maxShown = 5

interface ExecResults {
  coverage: CoverageReport
  /** Whether coverage is too low. Otherwise, the long list of uncovered responses doesn't matter in a terminal */
  showsCoverage: boolean
  /** Names of files */
  repros: readonly string[]
  used: readonly AssumptionUse[]
  questions: readonly AssumptionUse[]
  flags: Flags
}

function execReport(
  command: readonly string[],
  { exitCode, journal, refused, findings, simulation }: ObservedRun,
  { coverage, showsCoverage, repros, used, questions, flags }: ExecResults,
): Report {
  const hasFailed = exitCode !== ExitCode.ok
  const last = findLastRefusals(journal.records)
  // If the client continued after every refusal, one of them may still be the cause.
  const suspects = last.length > 0 ? last : journal.records.filter(isRefused)
  const shown = hasFailed ? suspects.slice(-maxShown) : []
  const refusals = shown.map(getEntry)
  const unreached = simulation.refused.report('start')
  const found = findings.list
  const covered = coverageReport(coverage)
  return {
    ...covered,
    verdict: verdictLine(exitCode, found, { requests: journal.total, refused }),
    summary: [
      `${counted(journal.total, 'request')}. ${coverageLine(coverage)}${refusedLine(refused, journal.records)}`,
      ...assumptionsLine(used),
    ].join('\n'),
    sections: [
      findingsSection(found),
      refusalSection('Refused requests (perhaps intended)', shown, false),
      refusalSection('Requests hit by faults', shown, true),
      {
        lines: [
          ...listedLine(refusals, refused, last.length),
          ...hintLines(flags, exitCode, found, refusals),
        ],
      },
      ...(hasFailed || journal.total === 0 ? [unreachedSection(unreached)] : []),
      {
        heading: `To make one happen again: proxysim load FILE, and the call in its first line; or this command (of a suite, that test alone): proxysim exec --scenario FILE -- ${shellQuote(command)}`,
        list: repros,
      },
      { heading: 'Questions for the provider', list: questions.map(({ question }) => question) },
      { heading: 'Coverage', only: showsCoverage ? undefined : 'report', ...coverageTable(coverage) },
      assumptionsSection(used),
    ],
    suites: [
      ...(hasFailed ? [{ name: 'command', cases: [commandCase(command, exitCode, shown)] }] : []),
      ...covered.suites,
      { name: 'findings', cases: found.map(findingCase) },
    ],
    data: {
      command,
      exitCode,
      ...coverage,
      requests: journal.total,
      findings: found,
      refusals,
      refused: unreached,
      repros,
      assumptions: used.map(({ id, value = null, confirmed }) => ({ id, value, confirmed })),
      ...(questions.length > 0 && { questions: questions.map(({ id, question }) => ({ id, question })) }),
    },
  }
}

/** Names flags that would help. */
function hintLines(
  { onFailure, failOn }: Flags,
  exitCode: number,
  [worst]: readonly Finding[],
  refusals: readonly JournalEntry[],
): string[] {
  const canRepro = worst || refusals.some((one) => one.case !== null)
  const repro =
    'To make it happen again, add --on-failure repro: it writes the state before each as a scenario.'
  const fail = `To exit with 3 if there is such a finding, add --fail-on ${worst?.severity}.`
  return [
    ...(canRepro && !onFailure ? [repro] : []),
    ...(worst && exitCode === ExitCode.ok && !failOn ? [fail] : []),
  ]
}

function assumptionsSection(used: readonly AssumptionUse[]): Section {
  return {
    heading: 'Assumptions of this run',
    only: 'report',
    head: ['Assumption', 'Value', 'Confirmed', 'Gap in the documentation'],
    rows: used.map(({ id, value, confirmed, gap }) => [
      id,
      String(value ?? 'differs by account'),
      confirmed ? { text: 'yes', mark: 'good' } : { text: 'no', mark: 'note' },
      gap,
    ]),
  }
}

function commandCase(command: readonly string[], code: number, refusals: readonly JournalRecord[]): Case {
  const message = `The command exited with ${code}`
  const rows = refusals.map((one) => refusalCells(one).map(plainText).join('  '))
  return { name: shellQuote(command), failure: { message, text: [message, ...rows].join('\n') } }
}

function findingCase({ finding, message, advice, requests }: Finding): Case {
  return {
    name: finding,
    failure: { message, text: `${message}\n${advice}\nRequests: ${formatIds(requests)}` },
  }
}

/** Lists the unconfirmed assumptions that a run relies on, in one line; empty if the run used no assumption. */
function assumptionsLine(used: readonly AssumptionUse[]): string[] {
  if (used.length === 0) return []
  const open = used.filter(({ confirmed }) => !confirmed).map(({ id }) => id)
  if (open.length === 0) return ['Rests on no unconfirmed assumption.']
  return [`Rests on ${counted(open.length, 'unconfirmed assumption')}: ${open.join(', ')}`]
}

function unreachedSection({ count, last }: RefusedReport): Section {
  const heading = `${counted(count, 'request')} never reached the API`
  return { heading, head: ['Status', 'Call', 'Host', 'Reason'], rows: last.map(refusedCells) }
}

/** Finds refused requests after which no request to the account succeeded. Tests that expect a refusal continue after it. */
function findLastRefusals(records: readonly JournalRecord[]): JournalRecord[] {
  const recovered = new Set<string | null>()
  const found: JournalRecord[] = []
  for (const record of records.toReversed())
    if (!isRefused(record)) recovered.add(record.account).add(null)
    else if (!recovered.has(record.account)) found.unshift(record)
  return found
}

/** ` 3 requests refused: insufficient-funds (2), 503.` @param records those that the journal kept */
function refusedLine(refused: number, records: readonly JournalRecord[]): string {
  if (refused === 0) return ''
  const names = records.flatMap((one) =>
    isRefused(one) && one.status !== null ? (one.case ?? String(one.status)) : [],
  )
  const all = [...countBy(names, (name) => name)].map(([name, count]) =>
    count > 1 ? `${name} (${count})` : name,
  )
  const kept = names.length < refused ? `, the last ${names.length}` : ''
  return ` ${counted(refused, 'request')} refused${kept}: ${all.join(', ')}.`
}

function isRefused({ status }: JournalRecord): boolean {
  return status === null || status >= 400
}

/** Says that not all refused requests are listed; empty if all are. @param last how many came after the last success */
function listedLine(refusals: readonly JournalEntry[], refused: number, last: number): string[] {
  const listed = refusals.filter(({ status }) => status !== null).length
  if (listed === 0 || listed === refused) return []
  const others = last > 0 && last <= maxShown ? '; after the others, a request succeeded' : ''
  return [`${listed} of ${counted(refused, 'refused request')}${others}.`]
}

/** Says whether the client is all right. */
function verdictLine(
  exitCode: number,
  findings: readonly Finding[],
  { requests, refused }: { requests: number; refused: number },
): Line {
  const ended = exitCode === ExitCode.ok ? 'The command succeeded' : `The command exited with ${exitCode}`
  const [worst] = findings
  const isBad = exitCode !== ExitCode.ok || worst?.severity === 'high'
  const mark = isBad ? 'bad' : worst || requests === 0 ? 'note' : 'good'
  if (requests === 0) return { text: `${ended}, and sent no request to the API.`, mark }
  const names = [...new Set(findings.map(({ finding }) => finding))].join(', ')
  const found = worst
    ? `with ${counted(findings.length, 'finding')}: ${names}.`
    : `without findings${isBad && refused === 0 ? ' or refused requests' : ''}.`
  const unseen = isBad || worst ? '' : ' To try lost and late responses, use `proxysim sweep`.'
  return { text: `${ended}, ${found}${unseen}`, mark }
}

/** @param forced whether to show those that a fault hit, or the others */
function refusalSection(heading: string, refusals: readonly JournalRecord[], forced: boolean): Section {
  return {
    heading,
    head: ['Request', 'Call', 'Status', 'Reason'],
    rows: refusals.filter((one) => one.forced === forced).map(refusalCells),
  }
}

function refusalCells(record: JournalRecord): Line[] {
  const { id, method, path, status, case: name, reason } = getEntry(record)
  const label = record.origin?.label
  return [
    `#${id}${label === undefined ? '' : ` (${label})`}`,
    `${method} ${path}`,
    { text: String(status ?? 'lost'), mark: 'bad' },
    [name, reason].filter((part) => part !== null).join(': '),
  ]
}
