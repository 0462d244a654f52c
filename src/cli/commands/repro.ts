import type { Command } from 'commander'
import { renderScenario, write } from '../files.ts'
import { parseScenarioFile } from '../flags.ts'
import { pickDefined } from '../../lib/json.ts'
import { printDocument } from '../output.ts'
import { remoteAction, withAccountFlags, withRequestId, type RemoteFlags } from '../remote.ts'

const examples = `
The scenario holds the account as it was just before the request, with the clock stopped at the request's time. Load it
anywhere and make the call: the response has the same status, body and case.

Examples:
  proxysim repro 17 --output refused.yaml && proxysim load refused.yaml
  proxysim repro 17 --json`

export function repro(command: Command): Command {
  return withAccountFlags(withRequestId(command))
    .option(
      '--output <file>',
      'write the scenario to a file (.yaml or .json), and print only the call',
      parseScenarioFile,
    )
    .addHelpText('after', examples)
    .action(
      remoteAction<RemoteFlags & { output?: string }, number>(
        async ({ sim }, { account, output, json }, id) => {
          const found = await sim.repro(id, pickDefined({ account }))
          const { scenario, curl } = found
          if (output !== undefined) {
            await write(output, await renderScenario(scenario, output, curl))
            const text = `Wrote ${output}. Load it (proxysim load ${output}), which clears the journal and the findings, then call:\n${curl}`
            return [{ file: output, curl }, text]
          }
          if (json) return [found, '']
          return printDocument(await renderScenario(scenario, '', curl))
        },
      ),
    )
}
