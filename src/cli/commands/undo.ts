import type { Command } from 'commander'
import type { Snapshot } from '../../admin/shapes.ts'
import { posted } from '../../scenario/ScenarioError.ts'
import { UserError } from '../../UserError.ts'
import { print } from '../print.ts'
import { createRemote, withRemoteFlags, type RemoteFlags } from '../remote.ts'

const help = `
Whatever a load or a reset replaced is kept until the next one, or until the simulator stops. Undo brings the accounts
back with all they had, faults and clocks included; run it again to undo the undo. It does not bring back the journal and
the coverage, which a load or a reset empties.

Examples:
  proxysim load low-funds && proxysim undo`

export function undo(command: Command): Command {
  return withRemoteFlags(command).addHelpText('after', help).action(run)
}

async function run(flags: RemoteFlags): Promise<void> {
  const { plane } = await createRemote(flags)
  const snapshots = await plane.json<Snapshot[]>('GET', '/snapshots')
  const replaced = snapshots.find(({ id }) => id === 'before-load')
  if (!replaced)
    throw new UserError('There is nothing to undo: no load or reset since the simulator was started.')
  const restored = await plane.json<{ scenario: string }>('POST', '/snapshots/before-load/restore')
  // The parentheses around it would be doubled.
  const scenario = restored.scenario === posted ? 'posted' : restored.scenario
  print(
    flags,
    restored,
    `Brought back what the last load or reset replaced (${scenario}, as of ${replaced.time}). Run it again to redo.`,
  )
}
