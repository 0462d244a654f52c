import type { Command } from 'commander'
import { print } from '../print.ts'
import { reach, withRemoteFlags, type RemoteFlags } from '../remote.ts'

/** `proxysim reset` */
export function reset(command: Command): Command {
  return withRemoteFlags(command).action(async (flags: RemoteFlags) => {
    const { sim } = await reach(flags)
    const loaded = await sim.reset()
    print(flags, loaded, `Loaded ${loaded.scenario} again; accounts: ${loaded.accounts.join(', ')}`)
  })
}
