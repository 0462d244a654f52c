import type { Command } from 'commander'
import { parseList, parseYamlFile, numberParser } from '../../cli/flags.ts'
import { isBad } from '../runs/report.ts'
import { matrixVerdicts, pickBad } from '../runs/verdict.ts'
import { type AcceptedFlags, withAcceptedCells } from './acceptedCells.ts'
import { runTrials, withCommandArgument, withTrialFlags, type TrialFlags } from './trials.ts'

const explanation = `
The API's documentation has gaps, which assumptions fill. The command runs once with the default assumptions. If that
succeeds, it runs once for each other interpretation, each time against a fresh simulator. The table shows the results:

  survives        it exits with 0, and makes the same changes as with the default assumptions
  changed         it exits with 0, but makes other changes: it orders again, or not at all
  harm            it exits with 0, but has a new finding, such as throttle-ignored
  fails           it exits with another code, or runs out of time
  not exercised   no response differs from that with the default assumptions, even if exec says that the run
                  rests on the assumption: exec lists all that concern the operations that were called

The command finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the name of the
interpretation in PROXYSIM_INTERPRETATION. Exits with 1 for the red verdicts (changed, harm, fails), and with 2
if the first run sends no request.`

const examples = `
Examples:
  proxysim matrix -- npm test
  proxysim matrix --only orderedService geo=object -- npm test
  proxysim matrix --report matrix.md matrix.xml -- npm test
  proxysim exec --assume orderedService=Pending -- npm test     one interpretation, with the command's full output`

export function matrix(command: Command): Command {
  withCommandArgument(command.addHelpText('after', explanation))
    .option(
      '--only <id...>',
      'only these assumptions, or values of assumptions, such as geo=object',
      parseList,
    )
    .option('--accept <file>', 'verdicts that do not fail the matrix, each with its reason (YAML)')
    .option(
      '--write-accepted <file>',
      "write this run's red verdicts to a file for --accept, keeping the reasons in it",
      parseYamlFile,
    )
    .option('--timeout <seconds>', 'fail a run that takes longer', numberParser(0.001, 86_400), 600)
  return withTrialFlags(command).addHelpText('after', examples).action(run)
}

async function run(command: string[], flags: TrialFlags & AcceptedFlags): Promise<void> {
  const { only = [], timeout = 0 } = flags
  const runs = await import('../runs/matrix.ts')
  await withAcceptedCells(flags, pickBad(matrixVerdicts), ({ cells, add }) =>
    runTrials(command, flags, async (settings) => {
      const result = await runs.matrix({ ...settings, only, timeout: timeout * 1000, accepted: cells })
      const all = result.data.interpretations.filter(({ assumption }) => assumption !== null)
      if (result.problem === undefined) add(all.filter(isBad))
      return result
    }),
  )
}
