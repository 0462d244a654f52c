import type { Command } from 'commander'
import { isFilePath } from '../../scenario/NameIndex.ts'
import { loadFile } from '../loadFile.ts'
import { describeLoad, remoteAction, withRemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim load low-funds
  proxysim load ./my-scenario.yaml`

export function load(command: Command): Command {
  return withRemoteFlags(command.argument('<name|file>', "a scenario's name, or a file"))
    .addHelpText('after', examples)
    .action(
      remoteAction(async ({ sim, plane }, _flags, name) => {
        const loaded = isFilePath(name) ? await loadFile(plane, name) : await sim.load(name)
        return [loaded, describeLoad(`Loaded ${name}`, loaded)]
      }),
    )
}
