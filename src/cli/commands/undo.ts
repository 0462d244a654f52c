import type { Snapshot } from '../../admin/shapes.ts'
import { UserError } from '../../lib/UserError.ts'
import type { Command } from 'commander'
import { printResult } from '../output.ts'
import { connect, withRemoteFlags, type RemoteFlags } from '../remote.ts'

const help = `
Whatever a load or a reset replaced is kept until the next one, or until the simulator stops. Undo brings the accounts
back, including faults and clocks; run it again to redo. It does not bring back the journal and the coverage.

Examples:
  proxysim load low-funds && proxysim undo`

export function undo(command: Command): Command {
  return withRemoteFlags(command).addHelpText('after', help).action(run)
}

async function run(flags: RemoteFlags): Promise<void> {
  const plane = await connect(flags)
  const snapshots = await plane.json<Snapshot[]>('GET', '/snapshots')
  const replaced = snapshots.find(({ id }) => id === 'before-load')
  if (!replaced)
    throw new UserError('Nothing to undo. There was no load or reset since the simulator was started.')
  const restored = await plane.json<{ scenario: string }>('POST', '/snapshots/before-load/restore')
  const scenario = restored.scenario.replaceAll(/[()]/g, '')
  printResult(flags, restored, `Restored ${scenario}, as of ${replaced.time}. Run it again to redo.`)
}
