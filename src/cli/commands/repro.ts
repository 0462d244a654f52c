import type { Command } from 'commander'
import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { print } from '../print.ts'
import { createRemote, requestPath, scopeOf, withAccountFlags, type AccountFlags } from '../remote.ts'
import { checkScenarioFile, commented, scenarioText } from '../scenarioText.ts'
import { writing } from '../writing.ts'

const examples = `
The scenario holds the account's world as it was just before the request, with the clock stopped at the request's time.
Load it anywhere, make the call, and the answer has the same status, body and case. It contains the account's
credentials, as the call needs them.

Examples:
  proxysim repro 17 --output refused.yaml && proxysim load refused.yaml
  proxysim repro 17 --json`

interface Flags extends AccountFlags {
  output?: string
}

export function repro(command: Command): Command {
  return withAccountFlags(
    command
      .argument('<id>', 'the request, as `proxysim requests` shows it: 17 or #17')
      .option('--output <file>', 'write the scenario to a file (.yaml or .json), and print only the call'),
  )
    .addHelpText('after', examples)
    .action(run)
}

async function run(id: string, { output, ...flags }: Flags): Promise<void> {
  if (output !== undefined) checkScenarioFile(output)
  const { plane } = await createRemote(flags)
  const found = await plane.json<{ scenario: ScenarioDocument; curl: string }>(
    'GET',
    `${requestPath(id)}/repro`,
    {
      query: scopeOf(flags),
    },
  )
  const { scenario, curl } = found
  if (output === undefined)
    return print(flags, found, flags.json ? '' : commented(curl) + (await scenarioText(scenario, '', 0)))
  await writing(output, await scenarioText(scenario, output, 0))
  print(
    flags,
    { file: output, curl },
    `Wrote ${output}. Load it (proxysim load ${output}), then call:\n${curl}`,
  )
}
