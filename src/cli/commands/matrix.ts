import type { Command } from 'commander'
import { text } from '../../report/text.ts'
import { Signals } from '../../runs/Signals.ts'
import { ExitCode } from '../ExitCode.ts'
import { checkReports, renderers, writeReports } from '../files.ts'
import {
  list,
  seconds,
  startOptions,
  withCommand,
  withStartFlags,
  withTrialFlags,
  type TrialFlags,
} from '../flags.ts'
import { printResult, progressOf, say } from '../output.ts'

const help = `
The API's documentation leaves some things open. The command runs once with the default assumptions. If that
succeeds, it runs once for each other reading, each time against a fresh simulator. The table says which it survives:

  survives    it exits with 0
  fails       it exits with another code, or runs out of time
  not asked   it exits with 0, but never called an operation that the interpretation affects

The command finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the name of the
interpretation in PROXYSIM_READING. Exits with 1 if one fails, or if the first run fails or sends no request.

Examples:
  proxysim matrix -- npm test
  proxysim matrix --only orderedService geo=object -- npm test
  proxysim matrix --report matrix.md matrix.xml -- npm test
  proxysim exec --assume orderedService=Pending -- npm test     one of them, with the command's full output`

export function matrix(command: Command): Command {
  withCommand(command, '.md, .json, .xml (JUnit)')
    .option('--only <id...>', 'only these assumptions, or values of them (geo=object)', list)
    .option('--timeout <seconds>', 'fail a run that takes longer', seconds, 600)
  return withStartFlags(withTrialFlags(command)).addHelpText('after', help).action(run)
}

async function run(command: string[], flags: TrialFlags): Promise<void> {
  const { report: files = [], only = [], jobs, timeout = 0, verbose } = flags
  checkReports(files, Object.keys(renderers))
  const runs = await import('../../runs/matrix.ts')
  const tell = progressOf()
  await Signals.during(async (signals) => {
    const result = await runs.matrix({
      command,
      simulator: startOptions(flags),
      only,
      jobs,
      timeout: timeout * 1000,
      signals,
      verbose,
      onRun: (done, all) => {
        const words = done.timedOut ? `${done.verdict} (out of time)` : done.verdict
        tell(runs.nameOf(done), { text: words, mark: runs.marks[done.verdict] }, done.durationMs, all)
      },
    })
    if (!result) {
      process.exitCode = signals.exitCode
      return
    }
    const report = runs.matrixReport(result)
    printResult(flags, result, () => text(report))
    await writeReports(files, report)
    const [first] = result.readings
    if (first?.verdict === 'fails')
      say(`The command fails with the default assumptions (${runs.whyFailed(first)}). Fix that first.`)
    if (first?.verdict === 'not asked')
      say('The command sent no request, so nothing was tested. Does it use PROXYSIM_URL?')
    if (!result.survives) process.exitCode = ExitCode.found
  })
}
