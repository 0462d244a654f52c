import type { Command } from 'commander'
import { defined } from '../../lib/json.ts'
import { remoteAction, withAccountFlags, withRequestId, type RemoteFlags } from '../remote.ts'

const examples = `
Restores the account as it was just before the request, including fault counters and the clock setting. Other accounts
don't change. You can also rewind a rewind. Works for the last 1,000 requests (\`serve --journal\`).

Examples:
  proxysim requests --status 4xx
  proxysim rewind 17`

export function rewind(command: Command): Command {
  return withAccountFlags(withRequestId(command))
    .addHelpText('after', examples)
    .action(
      remoteAction<RemoteFlags, number>(async ({ sim }, { account }, id) => {
        const rewound = await sim.rewind(id, defined({ account }))
        return [rewound, `${rewound.account} is as it was before request ${id}.`]
      }),
    )
}
