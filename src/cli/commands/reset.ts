import type { Command } from 'commander'
import { print } from '../print.ts'
import { createRemote, scopeOf, withAccountFlags, type AccountFlags } from '../remote.ts'

/** `proxysim reset` */
export function reset(command: Command): Command {
  return withAccountFlags(command).action(async (flags: AccountFlags) => {
    const { sim } = await createRemote(flags)
    const loaded = await sim.reset(scopeOf(flags))
    print(flags, loaded, `Loaded ${loaded.scenario} again; accounts: ${loaded.accounts.join(', ')}`)
  })
}
