import { join } from 'node:path'
import { Option, type Command } from 'commander'
import type { JournalEntry } from '../../admin/shapes.ts'
import {
  coverageLine,
  coverageReport,
  coverageShortfall,
  coverageTable,
} from '../../journal/coverageReport.ts'
import { har } from '../../journal/har.ts'
import { counted } from '../../lib/text.ts'
import { json, type Part, type Report } from '../../report/Report.ts'
import { text } from '../../report/text.ts'
import type { Observed } from '../../runs/runAgainstSimulator.ts'
import { Signals } from '../../runs/Signals.ts'
import { ExitCode } from '../ExitCode.ts'
import { checkReports, writeReports, writeScenario } from '../files.ts'
import { findingsPart } from '../findingsPart.ts'
import { percent, startOptions, withCommand, withStartFlags, type StartFlags } from '../flags.ts'
import { printResult, say } from '../output.ts'

/** Output folder for reproductions, relative to the working directory */
const refusalsFolder = 'proxysim-repro'

const help = `
The simulator runs in memory on a free port until the command ends. The command finds it through PROXYSIM_URL,
PROXYSIM_LOGIN and PROXYSIM_PASSWORD. Coverage and findings are for the whole run, resets included.

Exits with the command's exit code, or with 3 if the command succeeds but coverage is too low. If the command fails, the
last refused requests come first, with case and reason. SIGTERM is passed on to it; Ctrl-C in a terminal reaches it directly.

Examples:
  proxysim exec -- npm test
  proxysim exec -s low-funds --report coverage.md coverage.xml -- npx vitest run
  proxysim exec --assume productSort=desc -- npm test
  proxysim exec --on-failure repro -- npm test`

interface Flags extends StartFlags {
  journal: number
  minCoverage?: number
  report?: string[]
  json?: boolean
  onFailure?: 'repro'
}

export function exec(command: Command): Command {
  withCommand(command, '.md, .json, .xml (JUnit), .har')
    .option('--min-coverage <percent>', 'exit with 3 if coverage is lower', percent)
    .addOption(
      new Option(
        '--on-failure <what>',
        `if the command fails, write a scenario for each refused request to ${refusalsFolder}/`,
      ).choices(['repro']),
    )
  return withStartFlags(command).addHelpText('after', help).action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: files = [], journal } = flags
  checkReports(files, ['.md', '.json', '.xml', '.har'])
  const { runAgainstSimulator } = await import('../../runs/runAgainstSimulator.ts')
  await Signals.during(async (signals) => {
    const simulator = startOptions(flags)
    const stdout = flags.json ? 'stderr' : 'inherit'
    const observed = await runAgainstSimulator({ command, simulator, journal, signals, stdout })
    const { exitCode, seen } = observed
    const hasFailed = exitCode !== ExitCode.ok
    const shortfall = coverageShortfall(seen.coverage, flags.minCoverage)
    process.exitCode = hasFailed || shortfall === undefined ? exitCode : ExitCode.coverage
    const repros = hasFailed && flags.onFailure ? await writeRefusals(observed) : []
    const report = execReport(observed, repros)
    if (!flags.json) process.stdout.write('\n')
    printResult(flags, report.data, () =>
      // What is not covered is long, and only of interest if it is too much.
      text(shortfall === undefined ? { ...report, parts: report.parts.slice(0, -2) } : report),
    )
    if (seen.requests === 0) say('The command sent no request to the API. Does it use PROXYSIM_URL?')
    else if (shortfall !== undefined) say(shortfall)
    await writeReports(files, report, { '.har': () => json(har(seen.entries)) }).catch((error) => {
      // The command's exit code matters more than a failure to write reports.
      if (!hasFailed) throw error
      say((error as Error).message)
    })
  })
}

/** How many refused requests to write, the last ones */
const writtenRefusals = 50

/**
 * Writes a scenario for each refused request. Their calls go to where `proxysim` listens by default: the simulator of the
 * run is gone.
 * @returns the files
 */
async function writeRefusals({ seen, simulation: { store } }: Observed): Promise<string[]> {
  const { reproduceRecord } = await import('../../scenario/reproduce.ts')
  const files: string[] = []
  for (const record of seen.records.filter(({ raw }) => raw.case !== null).slice(-writtenRefusals)) {
    const { id, operation, case: name } = record.raw
    const made = await reproduceRecord(store, record, 'http://127.0.0.1:4010')
    const path = join(refusalsFolder, `${id}-${operation ?? 'unknown'}-${name}`)
    if (made) files.push(await writeScenario(path, made.scenario, made.curl))
  }
  return files
}

/** How many refused requests to show if a command fails */
const shownRefusals = 5

/** Ends in the table of what was covered. */
function execReport({ exitCode, seen }: Observed, repros: readonly string[]): Report {
  const { coverage, findings, requests } = seen
  const refused =
    exitCode === ExitCode.ok ? [] : seen.entries.filter(({ status }) => status === null || status >= 400)
  const refusals = refused.slice(-shownRefusals).map(shown)
  return {
    ...coverageReport(coverage),
    summary: `${counted(requests, 'request')}. ${coverageLine(coverage)}`,
    parts: [
      ...(exitCode === ExitCode.ok ? [] : failureParts(exitCode, refusals, repros)),
      ...findingsPart(findings),
      { heading: 'Coverage' },
      coverageTable(coverage),
    ],
    data: { exitCode, ...coverage, requests, findings, refusals, repros },
  }
}

type ShownRefusal = Pick<JournalEntry, 'id' | 'method' | 'path' | 'status' | 'case' | 'reason'>

function shown({ id, method, path, status, case: name, reason }: JournalEntry): ShownRefusal {
  return { id, method, path, status, case: name, reason }
}

function failureParts(code: number, refusals: readonly ShownRefusal[], repros: readonly string[]): Part[] {
  return [
    { heading: `The command exited with ${code}` },
    refusals.length === 0
      ? { lines: ['No request was refused.'] }
      : {
          head: ['Request', 'Call', 'Status', 'Reason'],
          rows: refusals.map(({ id, method, path, status, case: name, reason }) => [
            `#${id}`,
            `${method} ${path}`,
            { text: String(status ?? 'lost'), mark: 'bad' },
            [name, reason].filter((part) => part !== null).join(': '),
          ]),
        },
    ...(repros.length ? [{ heading: 'Scenarios of the refused requests' }, { list: repros }] : []),
  ]
}
