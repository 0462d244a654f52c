import type { Command } from 'commander'
import { printResult } from '../output.ts'
import { connect, requestPath, scopeOf, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Restores the account as it was just before the request, including fault counters and the clock setting. Other accounts
stay as they are. You can rewind a rewind, too. Works for the last 1,000 requests (\`serve --journal\`).

Examples:
  proxysim requests --status 4xx
  proxysim rewind 17`

export function rewind(command: Command): Command {
  command.argument('<id>', 'the request, as `proxysim requests` shows it: 17 or #17')
  return withAccountFlags(command)
    .addHelpText('after', examples)
    .action(async (id: string, flags: RemoteFlags) => {
      const plane = await connect(flags)
      const path = `${requestPath(id)}/rewind`
      const rewound = await plane.json<{ account: string; version: number }>('POST', path, scopeOf(flags))
      printResult(flags, rewound, `${rewound.account} is as it was before request ${id.replace('#', '')}.`)
    })
}
