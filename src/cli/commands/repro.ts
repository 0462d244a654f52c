import type { Command } from 'commander'
import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { scenarioText, writeScenario } from '../files.ts'
import { scenarioFile } from '../flags.ts'
import { printDocument } from '../output.ts'
import { remote, requestPath, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
The scenario holds the account as it was just before the request, with the clock stopped at the request's time. Load it
anywhere and make the call: the response has the same status, body and case.

Examples:
  proxysim repro 17 --output refused.yaml && proxysim load refused.yaml
  proxysim repro 17 --json`

export function repro(command: Command): Command {
  command.argument('<id>', 'the request, as `proxysim requests` shows it: 17 or #17')
  return withAccountFlags(command)
    .option(
      '--output <file>',
      'write the scenario to a file (.yaml or .json), and print only the call',
      scenarioFile,
    )
    .addHelpText('after', examples)
    .action(
      remote<RemoteFlags & { output?: string }>(async (ask, { output, json }, id) => {
        const found = await ask<{ scenario: ScenarioDocument; curl: string }>(
          'GET',
          `${requestPath(id)}/repro`,
        )
        const { scenario, curl } = found
        if (output !== undefined) {
          await writeScenario(output, scenario, curl)
          const text = `Wrote ${output}. Load it (proxysim load ${output}), then call:\n${curl}`
          return [{ file: output, curl }, text]
        }
        if (json) return [found, '']
        return printDocument(await scenarioText(scenario, '', curl))
      }),
    )
}
