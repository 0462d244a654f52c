import type { Command } from 'commander'
import { UserError } from '../../lib/UserError.ts'
import { remoteAction, displayedScenarioName, withRemoteFlags } from '../remote.ts'

const help = `
Restores the accounts, including faults and clocks, as they were before the last load or reset; run it again to redo. The
journal, the findings and the coverage are not restored. With --in-memory, you can't undo after the simulator has stopped.

Examples:
  proxysim load low-funds && proxysim undo`

export function undo(command: Command): Command {
  return withRemoteFlags(command)
    .addHelpText('after', help)
    .action(
      remoteAction(async ({ sim }) => {
        const replaced = (await sim.snapshots()).find(({ id }) => id === 'before-load')
        if (!replaced) throw new UserError('Nothing to undo. There was no load or reset yet.')
        const { id, time, scenario } = replaced
        await sim.restore(id)
        const text = `Restored your state from before the last load or reset (${displayedScenarioName(scenario)}, ${time}). Run \`proxysim undo\` again to redo.`
        return [{ id, scenario }, text]
      }),
    )
}
