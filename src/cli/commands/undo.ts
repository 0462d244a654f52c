import type { Command } from 'commander'
import type { Snapshot } from '../../admin/shapes.ts'
import { UserError } from '../../lib/UserError.ts'
import { remote, withRemoteFlags } from '../remote.ts'

const help = `
What a load or a reset replaced is kept until the next one; with --in-memory, until the simulator stops. Undo brings the
accounts back, including faults and clocks; run it again to redo. It does not bring back the journal and the coverage.

Examples:
  proxysim load low-funds && proxysim undo`

export function undo(command: Command): Command {
  return withRemoteFlags(command)
    .addHelpText('after', help)
    .action(
      remote(async (ask) => {
        const snapshots = await ask<Snapshot[]>('GET', '/snapshots')
        const replaced = snapshots.find(({ id }) => id === 'before-load')
        if (!replaced) throw new UserError('Nothing to undo. There was no load or reset yet.')
        const restored = await ask<{ scenario: string }>('POST', '/snapshots/before-load/restore')
        const scenario = restored.scenario.replaceAll(/[()]/g, '')
        return [restored, `Restored ${scenario}, as of ${replaced.time}. Run it again to redo.`]
      }),
    )
}
