import type { Command } from 'commander'
import {
  confirmRemoval,
  describeLoad,
  remoteAction,
  displayedScenarioName,
  withAccountFlags,
  withYes,
  type RemoteFlags,
} from '../remote.ts'

export function reset(command: Command): Command {
  return withYes(withAccountFlags(command)).action(
    remoteAction<RemoteFlags & { yes?: boolean }>(async ({ sim, account }, { account: login, yes }) => {
      const removed = login === undefined ? await confirmRemoval(sim, yes) : []
      const loaded = await account.reset()
      if (login !== undefined) return [loaded, `Reset ${login} to its initial state.`]
      return [loaded, describeLoad(`Reloaded ${displayedScenarioName(loaded.scenario)}`, loaded, removed)]
    }),
  )
}
