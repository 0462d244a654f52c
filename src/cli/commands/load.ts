import type { Command } from 'commander'
import type { Loaded } from '../../admin/shapes.ts'
import { segment } from '../../client/ControlPlane.ts'
import { isFile } from '../../scenario/NameIndex.ts'
import { loadFile } from '../loadFile.ts'
import { loadedText, remote, withRemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim load low-funds
  proxysim load ./my-scenario.yaml`

export function load(command: Command): Command {
  return withRemoteFlags(command.argument('<name|file>', "a scenario's name, or a file"))
    .addHelpText('after', examples)
    .action(
      remote(async (ask, _flags, name, plane) => {
        const loaded = isFile(name)
          ? await loadFile(plane, name)
          : await ask<Loaded>('POST', `/scenarios/${segment('scenario', name)}/load`)
        return [loaded, loadedText(name, loaded)]
      }),
    )
}
