import type { Command } from 'commander'
import { print } from '../print.ts'
import { createRemote, withRemoteFlags, type RemoteFlags } from '../remote.ts'
import { table } from '../table.ts'

export function scenarios(command: Command): Command {
  return withRemoteFlags(command).action(async (flags: RemoteFlags) => {
    const { sim } = await createRemote(flags)
    const found = await sim.scenarios()
    print(flags, found, () => table(found.map(({ name, description }) => [name, description])))
  })
}
