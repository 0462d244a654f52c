import type { Command } from 'commander'
import { parseList, numberParser } from '../../cli/flags.ts'
import { matches } from '../runs/accepted.ts'
import { isRed } from '../runs/verdict.ts'
import { type AcceptedFlags, withAcceptedCells, withAcceptedFlags } from './acceptedCells.ts'
import {
  formatRepeat,
  runTrials,
  verdictHelp,
  withCommandArgument,
  withTrialFlags,
  type TrialFlags,
} from './trials.ts'

const explanation = `
Where the API's documentation is silent, the simulator assumes an answer. The command runs once with the assumed answers. If
that succeeds, it runs once for each other possible answer, such as geo=object, each time against a fresh simulator. It should
make the same changes each time; files aren't compared. If it doesn't, it depends on that answer: ask the provider.

Verdicts, red ones first:

${verdictHelp('matrix')}

The command finds the simulator through PROXYSIM_URL, PROXYSIM_LOGIN and PROXYSIM_PASSWORD, and the name of the
answer in PROXYSIM_INTERPRETATION. Exits with 1 for red verdicts, unless they are accepted, and with 2 if the first run sends
no request.`

const examples = `
Examples:
  proxysim matrix -- npm test
  proxysim matrix --only orderedService geo=object -- npm test
  proxysim matrix --report matrix.md matrix.xml -- npm test`

export function matrix(command: Command): Command {
  withCommandArgument(command.addHelpText('after', explanation)).option(
    '--only <id...>',
    'only these assumptions, or values of assumptions, such as geo=object',
    parseList,
  )
  withAcceptedFlags(command).option(
    '--timeout <seconds>',
    'fail a run that takes longer',
    numberParser(0.001, 86_400),
    600,
  )
  return withTrialFlags(command).addHelpText('after', examples).action(run)
}

async function run(args: string[], flags: TrialFlags & AcceptedFlags, command: Command): Promise<void> {
  const { only = [], timeout = 0 } = flags
  const runs = await import('../runs/matrix.ts')
  const isTried = (key: string): boolean =>
    only.length === 0 || only.some((one) => matches(key, one) || key.startsWith(`${one}=`))
  const repeat = (cell: string | undefined): string =>
    formatRepeat(command, args, cell === undefined ? [] : ['--only', cell])
  await withAcceptedCells(flags, isTried, ({ cells: accepted, add }) =>
    runTrials(args, flags, async (settings) => {
      const result = await runs.matrix({
        ...settings,
        only,
        timeout: timeout * 1000,
        accepted,
        isTried,
        repeat,
      })
      const all = result.data.interpretations.filter(({ assumption }) => assumption !== null)
      if (result.problem === undefined) add(all.filter(({ verdict }) => isRed(verdict)))
      return result
    }),
  )
}
