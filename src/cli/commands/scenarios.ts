import type { Command } from 'commander'
import { table } from '../../report/text.ts'
import { remote, withRemoteFlags } from '../remote.ts'

export function scenarios(command: Command): Command {
  return withRemoteFlags(command).action(
    remote(async ({ sim }) => {
      const found = await sim.scenarios()
      return [found, () => table(found.map(({ name, description }) => [name, description]))]
    }),
  )
}
