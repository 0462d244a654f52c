import type { Command } from 'commander'
import type { ScenarioInfo } from '../../admin/shapes.ts'
import { table } from '../../report/text.ts'
import { remote, withRemoteFlags } from '../remote.ts'

export function scenarios(command: Command): Command {
  return withRemoteFlags(command).action(
    remote(async (ask) => {
      const found = await ask<ScenarioInfo[]>('GET', '/scenarios')
      return [found, () => table(found.map(({ name, description }) => [name, description]))]
    }),
  )
}
