import type { Command } from 'commander'
import type { Loaded } from '../../admin/shapes.ts'
import { segment } from '../../client/ControlPlane.ts'
import { isFile } from '../../scenario/NameIndex.ts'
import { loadFile } from '../loadFile.ts'
import { createdAccounts, loadedText, remote, withRemoteFlags, withYes, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim load low-funds
  proxysim load ./my-scenario.yaml`

export function load(command: Command): Command {
  return withYes(withRemoteFlags(command.argument('<name|file>', "a scenario's name, or a file")))
    .addHelpText('after', examples)
    .action(
      remote<RemoteFlags & { yes?: boolean }>(async (ask, { yes }, name, plane) => {
        const removed = await createdAccounts(ask, yes)
        const loaded = isFile(name)
          ? await loadFile(plane, name)
          : await ask<Loaded>('POST', `/scenarios/${segment('scenario', name)}/load`)
        return [loaded, loadedText(name, loaded, removed)]
      }),
    )
}
