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
    remote<RemoteFlags & { yes?: boolean }>(async (ask, { account, yes }) => {
      const removed = account === undefined ? await createdAccounts(ask, yes) : []
      const loaded = await ask<Loaded>('POST', '/reset')
      const all = loadedText(`${loaded.scenario} again`, loaded, removed)
      return [loaded, account === undefined ? all : `Reset ${account} to its initial state.`]
    }),
  )
}
