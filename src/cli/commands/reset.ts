import type { Command } from 'commander'
import { describeLoad, remoteAction, displayedScenarioName, withAccountFlags } from '../remote.ts'

export function reset(command: Command): Command {
  return withAccountFlags(command).action(
    remoteAction(async ({ account }, { account: login }) => {
      const loaded = await account.reset()
      if (login !== undefined) return [loaded, `Reset ${login} to its initial state.`]
      return [loaded, describeLoad(`Reloaded ${displayedScenarioName(loaded.scenario)}`, loaded)]
    }),
  )
}
