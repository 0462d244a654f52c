import type { ScenarioInfo } from '../../admin/shapes.ts'
import { table } from '../../report/text.ts'
import type { Command } from 'commander'
import { printResult } from '../output.ts'
import { connect, withRemoteFlags, type RemoteFlags } from '../remote.ts'

export function scenarios(command: Command): Command {
  return withRemoteFlags(command).action(async (flags: RemoteFlags) => {
    const found = await (await connect(flags)).json<ScenarioInfo[]>('GET', '/scenarios')
    printResult(flags, found, () => table(found.map(({ name, description }) => [name, description])))
  })
}
