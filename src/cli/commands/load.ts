import type { Command } from 'commander'
import { isFile } from '../../scenario/NameIndex.ts'
import { busy } from '../busy.ts'
import { loadFile } from '../loadFile.ts'
import { print } from '../print.ts'
import { createRemote, withRemoteFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim load low-funds
  proxysim load ./my-scenario.yaml`

export function load(command: Command): Command {
  return withRemoteFlags(command.argument('<name|file>', "a scenario's name, or a file"))
    .addHelpText('after', examples)
    .action(async (name: string, flags: RemoteFlags) => {
      const { sim, plane } = await createRemote(flags)
      const loaded = await (isFile(name) ? loadFile(plane, name) : sim.load(name)).finally(busy('loading'))
      print(flags, loaded, `Loaded ${name}; accounts: ${loaded.accounts.join(', ')}`)
    })
}
