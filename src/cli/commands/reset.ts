import type { Command } from 'commander'
import type { Loaded } from '../../admin/shapes.ts'
import { loadedText, remote, withAccountFlags } from '../remote.ts'

export function reset(command: Command): Command {
  return withAccountFlags(command).action(
    remote(async (ask, { account }) => {
      const loaded = await ask<Loaded>('POST', '/reset')
      const all = loadedText(`${loaded.scenario} again`, loaded)
      return [loaded, account === undefined ? all : `Reset ${account} to its initial state.`]
    }),
  )
}
