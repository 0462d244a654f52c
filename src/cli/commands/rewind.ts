import type { Command } from 'commander'
import { print } from '../print.ts'
import { createRemote, requestPath, scopeOf, withAccountFlags, type AccountFlags } from '../remote.ts'

const examples = `
Restores the account's world as it was just before the request, including fault counters and the clock setting. Other
accounts stay as they are. A rewind can be rewound, too.

Examples:
  proxysim requests --status 4xx
  proxysim rewind 17`

export function rewind(command: Command): Command {
  return withAccountFlags(command.argument('<id>', 'the request, as `proxysim requests` shows it: 17 or #17'))
    .addHelpText('after', examples)
    .action(async (id: string, flags: AccountFlags) => {
      const { plane } = await createRemote(flags)
      const rewound = await plane.json<{ account: string; version: number }>(
        'POST',
        `${requestPath(id)}/rewind`,
        {
          query: scopeOf(flags),
        },
      )
      print(flags, rewound, `${rewound.account} is as it was before request ${id.replace('#', '')}.`)
    })
}
