import type { Command } from 'commander'
import { remote, requestPath, withAccountFlags } from '../remote.ts'

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
    .action(
      remote(async (ask, _flags, id) => {
        const rewound = await ask<{ account: string }>('POST', `${requestPath(id)}/rewind`)
        return [rewound, `${rewound.account} is as it was before request ${id.replace('#', '')}.`]
      }),
    )
}
