import { join } from 'node:path'
import { Option, type Command } from 'commander'
import type { JournalEntry } from '../../admin/shapes.ts'
import { counted } from '../../counted.ts'
import {
  coverageLine,
  coverageReport,
  coverageShortfall,
  coverageTable,
} from '../../journal/coverageReport.ts'
import { har, harEntries } from '../../journal/har.ts'
import { filled, json, type Part, type Report } from '../../report/Report.ts'
import { text } from '../../report/text.ts'
import type { Observed } from '../../runs/runAgainstSimulator.ts'
import { Signals } from '../../runs/Signals.ts'
import { ExitCode } from '../ExitCode.ts'
import {
  checkReports,
  checkScenarioFile,
  scenarioText,
  write,
  writeReports,
  writeScenario,
} from '../files.ts'
import { findingsPart } from '../findingsPart.ts'
import { percent, startOptions, withReport, withStartFlags, type StartFlags } from '../flags.ts'
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
  proxysim exec --on-failure repro --save-state after.yaml -- npm test`

interface Flags extends StartFlags {
  journal: number
  minCoverage?: number
  report?: string[]
  json?: boolean
  saveState?: string
  onFailure?: 'repro'
}

export function exec(command: Command): Command {
  command
    .argument('<command...>', 'what to run, after --')
    .passThroughOptions()
    .option('--min-coverage <percent>', 'exit with 3 if coverage is lower', percent)
  withReport(command, '.md, .json, .xml (JUnit), .har')
  command
    .option('--save-state <file>', 'write the final state as a scenario: .yaml, .json')
    .addOption(
      new Option(
        '--on-failure <what>',
        `if the command fails, write a scenario for each refused request to ${refusalsFolder}/`,
      ).choices(['repro']),
    )
  return withStartFlags(command).addHelpText('after', help).action(run)
}

async function run(command: string[], flags: Flags): Promise<void> {
  const { report: files = [], saveState } = flags
  checkReports(files, ['.md', '.json', '.xml', '.har'])
  if (saveState !== undefined) checkScenarioFile(saveState)
  const { runAgainstSimulator } = await import('../../runs/runAgainstSimulator.ts')
  const { collectRefusals } = await import('../../runs/collectRefusals.ts')
  const signals = new Signals()
  let refusals: ReturnType<typeof collectRefusals> | undefined
  try {
    const observed = await runAgainstSimulator({
      command,
      simulator: startOptions(flags),
      journal: flags.journal,
      signals,
      ...(flags.json && { stdout: 'stderr' as const }),
      prepare: ({ simulation }) => {
        if (flags.onFailure) refusals = collectRefusals(simulation)
      },
    })
    const { exitCode: code, seen } = observed
    const shortfall = coverageShortfall(seen.coverage, flags.minCoverage)
    process.exitCode = code === ExitCode.ok && shortfall !== undefined ? ExitCode.coverage : code
    const repros = code === ExitCode.ok ? [] : await writeRefusals(await refusals?.())
    const report = execReport(observed, repros)
    // Missing responses are long, and only of interest if there are too many.
    const { parts } = execReport(observed, repros, shortfall !== undefined)
    if (!flags.json) process.stdout.write('\n')
    printResult(flags, report.data, () => text({ ...report, parts }))
    if (seen.requests === 0) say('The command sent no request. Does it use PROXYSIM_URL?')
    else if (shortfall !== undefined) say(shortfall)
    if (saveState !== undefined) await save(observed, saveState)
    await writeReports(files, report, { '.har': () => json(har([...harEntries(seen.entries)])) }).catch(
      (error) => {
        // The command's exit code matters more than a failure to write reports.
        if (code === ExitCode.ok) throw error
        say((error as Error).message)
      },
    )
  } finally {
    signals.release()
  }
}

async function save({ simulation: { store } }: Observed, file: string): Promise<void> {
  const { exportScenario } = await import('../../scenario/exportScenario.ts')
  const { realTime } = await import('../../world/time.ts')
  await write(file, scenarioText(exportScenario(await store.state(), realTime()), file))
}

/** @returns the files */
async function writeRefusals(
  refusals: Awaited<
    ReturnType<ReturnType<typeof import('../../runs/collectRefusals.ts').collectRefusals>>
  > = [],
): Promise<string[]> {
  const files: string[] = []
  for (const { name, scenario, curl } of refusals)
    files.push(await writeScenario(join(refusalsFolder, name), scenario, curl))
  return files
}

/** How many refused requests to show if a command fails */
const shownRefusals = 5

function execReport({ exitCode, seen }: Observed, repros: readonly string[], isTableShown = true): Report {
  const { coverage, findings, requests } = seen
  const refusals = exitCode === ExitCode.ok ? [] : seen.refusals(shownRefusals).map(shown)
  return {
    ...coverageReport(coverage),
    summary: `${counted(requests, 'request')}. ${coverageLine(coverage)}`,
    parts: [
      ...(exitCode === ExitCode.ok ? [] : failureParts(exitCode, refusals, repros)),
      ...findingsPart(findings),
      ...filled(isTableShown ? [{ heading: 'Coverage' }, coverageTable(coverage)] : []),
    ],
    data: { exitCode, ...coverage, requests, findings, refusals, repros },
  }
}

type Refusal = Pick<JournalEntry, 'id' | 'method' | 'path' | 'status' | 'case' | 'reason'>

function shown({ id, method, path, status, case: name, reason }: JournalEntry): Refusal {
  return { id, method, path, status, case: name, reason }
}

function failureParts(code: number, refusals: readonly Refusal[], repros: readonly string[]): Part[] {
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
