import type { Command } from 'commander'
import type { Loaded } from '../../admin/shapes.ts'
import {
  createdAccounts,
  loadedText,
  remote,
  withAccountFlags,
  withYes,
  type RemoteFlags,
} from '../remote.ts'

export function reset(command: Command): Command {
  return withYes(withAccountFlags(command)).action(
    remote<RemoteFlags & { yes?: boolean }>(async (simulator, { account, yes }) => {
      const removed = account === undefined ? await createdAccounts(simulator, { yes }) : []
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
