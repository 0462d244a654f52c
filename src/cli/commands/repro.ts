import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import type { Command } from 'commander'
import { checkScenarioFile, scenarioText, write } from '../files.ts'
import { printDocument, printResult } from '../output.ts'
import { connect, requestPath, scopeOf, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
The scenario holds the account as it was just before the request, with the clock stopped at the request's time. Load it
anywhere and make the call: the response has the same status, body and case. It contains the account's credentials, as
the call needs them.

Examples:
  proxysim repro 17 --output refused.yaml && proxysim load refused.yaml
  proxysim repro 17 --json`

interface Flags extends RemoteFlags {
  output?: string
}

export function repro(command: Command): Command {
  command.argument('<id>', 'the request, as `proxysim requests` shows it: 17 or #17')
  return withAccountFlags(command)
    .option('--output <file>', 'write the scenario to a file (.yaml or .json), and print only the call')
    .addHelpText('after', examples)
    .action(run)
}

async function run(id: string, { output, ...flags }: Flags): Promise<void> {
  if (output !== undefined) checkScenarioFile(output)
  const plane = await connect(flags)
  const path = `${requestPath(id)}/repro`
  const found = await plane.json<{ scenario: ScenarioDocument; curl: string }>('GET', path, scopeOf(flags))
  const { scenario, curl } = found
  if (output !== undefined) {
    await write(output, scenarioText(scenario, output, curl))
    const text = `Wrote ${output}. Load it (proxysim load ${output}), then call:\n${curl}`
    return printResult(flags, { file: output, curl }, text)
  }
  if (flags.json) return printResult(flags, found, '')
  printDocument(scenarioText(scenario, '', curl))
}
