import type { ScenarioInfo } from '../../admin/shapes.ts'
import { table } from '../../report/text.ts'
import type { CliCommand } from '../CliCommand.ts'
import { printResult } from '../output.ts'
import { connect, withRemoteFlags, type RemoteFlags } from '../remote.ts'

export function scenarios(command: CliCommand): CliCommand {
  return withRemoteFlags(command).action(async (flags: RemoteFlags) => {
    const found = await (await connect(flags)).json<ScenarioInfo[]>('GET', '/scenarios')
    printResult(flags, found, () => table(found.map(({ name, description }) => [name, description])))
  }) as CliCommand
}
