import { Option, type Command } from 'commander'
import { UserError } from '../../UserError.ts'
import { exportScenario } from '../../scenario/exportScenario.ts'
import type { Simulation } from '../../Simulation.ts'
import { realTime } from '../../world/clock.ts'
import { percent } from '../arguments.ts'
import { collectRefusals, refusalsFolder } from '../collectRefusals.ts'
import { environment } from '../environment.ts'
import { ExitCode } from '../ExitCode.ts'
import { Observer } from '../Observer.ts'
import { painter } from '../paint.ts'
import { execExtensions, execReports } from '../execReports.ts'
import { checkReports, writeReports } from '../reports.ts'
import { runCommand } from '../runCommand.ts'
import { checkScenarioFile, scenarioText } from '../scenarioText.ts'
import { startOptions, withStartFlags, type StartFlags } from '../startFlags.ts'
import { coverageLine, coverageShortfall, coverageTable, findingsText, refusalsText } from '../verdict.ts'
import { writing } from '../writing.ts'
import { counted } from '../../counted.ts'

const help = `
The simulator runs in memory on a free port until the command ends. The command finds it through PROXYSIM_URL,
PROXYSIM_LOGIN and PROXYSIM_PASSWORD. Coverage and findings are for the whole run, resets included.

Exits with the command's exit code, or with 3 if the command succeeds but coverage is too low. If the command fails, the
last refusals are shown with case and reason. SIGTERM is passed on to it; Ctrl-C in a terminal reaches it by itself.

Examples:
  proxysim exec -- npm test
  proxysim exec --scenario low-funds --min-coverage 80 --report coverage.md junit.xml -- npx vitest run
  proxysim exec --assume productSort=desc -- npm test
  proxysim exec --on-failure repro --save-state after.yaml -- npm test`

interface Flags extends StartFlags {
  journal: number
  minCoverage?: number
  report?: string[]
  saveState?: string
  onFailure?: 'repro'
}

export function exec(command: Command): Command {
  return withStartFlags(
    command
      .argument('<command...>', 'what to run, after --')
      .passThroughOptions()
      .option('--min-coverage <percent>', 'exit with 3 if coverage is lower', percent)
      .option('--report <file...>', 'write reports: .md, .json, .xml (JUnit), .har')
      .option('--save-state <file>', 'write the final state as a scenario: .yaml, .json')
      .addOption(
        new Option(
          '--on-failure <what>',
          `if the command fails, write a scenario for each refusal to ${refusalsFolder}/`,
        ).choices(['repro']),
      ),
  )
    .addHelpText('after', help)
    .action(run)
}

async function run(cmd: string[], flags: Flags): Promise<void> {
  const { report = [] } = flags
  checkReports(report, execExtensions)
  if (flags.saveState !== undefined) checkScenarioFile(flags.saveState)
  const { startServer } = await import('../../server.ts')
  const running = await startServer(startOptions(flags))
  try {
    const seen = new Observer(running.simulation, flags.journal)
    const writeRefusals = flags.onFailure && collectRefusals(running.simulation, running.url)
    const { code } = await runCommand(cmd, { env: environment(running) })
    process.exitCode = code
    const { requests, coverage } = seen
    const shortfall = coverageShortfall(coverage, flags.minCoverage)
    const isShort = shortfall !== undefined
    tell(seen, { code, isShort })
    if (requests === 0)
      process.stderr.write('proxysim: the command sent no request; does it use PROXYSIM_URL?\n')
    else if (isShort) process.stderr.write(`proxysim: ${shortfall}\n`)
    if (isShort && code === ExitCode.ok) process.exitCode = ExitCode.coverage
    const repros = (code !== ExitCode.ok && (await writeRefusals?.())) || []
    if (repros.length) process.stdout.write(`scenarios of the refused requests: ${repros.join(', ')}\n`)
    if (flags.saveState !== undefined) await saveState(running.simulation, flags.saveState)
    await writeAll(report, seen, { code, repros })
  } finally {
    await running.close()
  }
}

/** Saves the final state as a scenario. */
async function saveState({ store }: Simulation, file: string): Promise<void> {
  await writing(file, await scenarioText(exportScenario(await store.state(), realTime()), file))
}

/** How many refusals to show if a command fails */
const shownRefusals = 5

function tell(seen: Observer, { code, isShort }: { code: number; isShort: boolean }): void {
  const { coverage, findings, requests } = seen
  const paint = painter(process.stdout)
  const lines = [
    ...(isShort ? [coverageTable(coverage)] : []),
    `${counted(requests, 'request')}, ${coverageLine(coverage)}`,
    ...(code === ExitCode.ok
      ? []
      : [`the command exited with ${code}; ${refusalsText(seen.refusals(shownRefusals))}`]),
    findingsText(findings),
    ...(code === ExitCode.ok || requests === 0
      ? []
      : ['all requests, with reasons and changes: proxysim exec --report requests.har -- …']),
  ]
  process.stdout.write(`\n${paint('bold', 'proxysim')}: ${lines.join('\n')}\n`)
}

/** If the command failed, its exit code matters more than a failure to write reports. */
async function writeAll(
  files: readonly string[],
  seen: Observer,
  { code, repros }: { code: number; repros: readonly string[] },
): Promise<void> {
  try {
    await writeReports(files, execReports(seen, repros))
  } catch (error) {
    if (code === ExitCode.ok || !(error instanceof UserError)) throw error
    process.stderr.write(`proxysim: ${error.message}\n`)
  }
}
