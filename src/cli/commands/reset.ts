import type { Command } from 'commander'
import type { Loaded } from '../../admin/shapes.ts'
import { createdAccounts, loadedText, remote, withAccountFlags } from '../remote.ts'

export function reset(command: Command): Command {
  return withAccountFlags(command).action(
    remote(async (simulator, { account }) => {
      const removed = account === undefined ? await createdAccounts(simulator) : []
      const loaded = await simulator.ask<Loaded>('POST', '/reset')
      return [
        loaded,
        account === undefined
          ? loadedText(`${loaded.scenario} again`, loaded, removed)
          : `Reset ${account} to its initial state.`,
      ]
    }),
  )
}
