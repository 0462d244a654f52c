import { isFile } from '../../scenario/NameIndex.ts'
import type { Loaded } from '../../admin/shapes.ts'
import type { Command } from 'commander'
import { loadFile } from '../loadFile.ts'
import { busy, printResult } from '../output.ts'
import {
  connect,
  createdAccounts,
  loadedText,
  segment,
  withRemoteFlags,
  type RemoteFlags,
} from '../remote.ts'

const examples = `
Examples:
  proxysim load low-funds
  proxysim load ./my-scenario.yaml`

interface Flags extends RemoteFlags {
  yes?: boolean
}

export function load(command: Command): Command {
  return withRemoteFlags(command.argument('<name|file>', "a scenario's name, or a file"))
    .option('--yes', 'remove accounts created since the start, without asking')
    .addHelpText('after', examples)
    .action(async (name: string, flags: Flags) => {
      const plane = await connect(flags)
      const removed = await createdAccounts(plane, flags.yes)
      const loaded = await (isFile(name)
        ? loadFile(plane, name)
        : plane.json<Loaded>('POST', `/scenarios/${segment('scenario', name)}/load`)
      ).finally(busy('loading'))
      printResult(flags, loaded, loadedText(name, loaded, removed))
    })
}
