import type { Loaded } from '../../admin/shapes.ts'
import type { Command } from 'commander'
import { printResult } from '../output.ts'
import {
  connect,
  createdAccounts,
  loadedText,
  scopeOf,
  withAccountFlags,
  type RemoteFlags,
} from '../remote.ts'

interface Flags extends RemoteFlags {
  yes?: boolean
}

export function reset(command: Command): Command {
  return withAccountFlags(command)
    .option('--yes', 'remove accounts created since the start, without asking')
    .action(async (flags: Flags) => {
      const plane = await connect(flags)
      const removed = flags.account === undefined ? await createdAccounts(plane, flags.yes) : []
      const loaded = await plane.json<Loaded>('POST', '/reset', scopeOf(flags))
      const done =
        flags.account === undefined
          ? loadedText(`${loaded.scenario} again`, loaded, removed)
          : `Reset ${flags.account} to its initial state.`
      printResult(flags, loaded, done)
    })
}
