import type { Command } from 'commander'
import { isFilePath } from '../../scenario/NameIndex.ts'
import { loadFile } from '../loadFile.ts'
import {
  confirmRemoval,
  describeLoad,
  remoteAction,
  withRemoteFlags,
  withYes,
  type RemoteFlags,
} from '../remote.ts'

const examples = `
Examples:
  proxysim load low-funds
  proxysim load ./my-scenario.yaml`

export function load(command: Command): Command {
  return withYes(withRemoteFlags(command.argument('<name|file>', "a scenario's name, or a file")))
    .addHelpText('after', examples)
    .action(
      remoteAction<RemoteFlags & { yes?: boolean }>(async ({ sim, plane }, { yes }, name) => {
        const removed = await confirmRemoval(sim, yes)
        const loaded = isFilePath(name) ? await loadFile(plane, name) : await sim.load(name)
        return [loaded, describeLoad(`Loaded ${name}`, loaded, removed)]
      }),
    )
}
