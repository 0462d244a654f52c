import type { Command } from 'commander'
import { table } from '../../report/text.ts'
import { remoteAction, withRemoteFlags } from '../remote.ts'

export function scenarios(command: Command): Command {
  return withRemoteFlags(command).action(
    remoteAction(async ({ sim }) => {
      const found = await sim.scenarios()
      return [found, () => table(found.map(({ name, description }) => [name, description]))]
    }),
  )
}
