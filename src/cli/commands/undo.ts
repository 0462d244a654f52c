import type { Command } from 'commander'
import { UserError } from '../../lib/UserError.ts'
import { remote, scenarioName, withRemoteFlags } from '../remote.ts'

const help = `
The state that a load or a reset replaces is saved until the next one; with --in-memory, until the simulator stops. Undo brings the
accounts back, including faults and clocks; run it again to redo. It does not bring back the journal and the coverage.

Examples:
  proxysim load low-funds && proxysim undo`

export function undo(command: Command): Command {
  return withRemoteFlags(command)
    .addHelpText('after', help)
    .action(
      remote(async ({ sim }) => {
        const replaced = (await sim.snapshots()).find(({ id }) => id === 'before-load')
        if (!replaced) throw new UserError('Nothing to undo. There was no load or reset yet.')
        const { id, time, scenario } = replaced
        await sim.restore(id)
        const text = `Restored ${scenarioName(scenario)} as of ${time}. Run \`proxysim undo\` again to redo.`
        return [{ id, scenario }, text]
      }),
    )
}
