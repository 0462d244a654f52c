import type { Command } from 'commander'
import { print } from '../print.ts'
import { createRemote, scopeOf, withAccountFlags, type AccountFlags } from '../remote.ts'

export function reset(command: Command): Command {
  return withAccountFlags(command).action(async (flags: AccountFlags) => {
    const { sim } = await createRemote(flags)
    const loaded = await sim.reset(scopeOf(flags))
    const done =
      flags.account === undefined
        ? `Loaded ${loaded.scenario} again; accounts: ${loaded.accounts.join(', ')}`
        : `Reset ${flags.account} to its initial state.`
    print(flags, loaded, done)
  })
}
