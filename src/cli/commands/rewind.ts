import type { Command } from 'commander'
import { pickDefined } from '../../lib/json.ts'
import { remoteAction, withAccountFlags, withRequestId, type RemoteFlags } from '../remote.ts'

const help = `
Returns the account to its state just before the request, including fault counters and the clock setting. Other accounts
don't change. To undo a rewind, rewind to a later request. You can rewind to any of the last 1,000 requests;
\`serve --journal\` changes this limit.

Examples:
  proxysim requests --status 4xx
  proxysim rewind 17`

export function rewind(command: Command): Command {
  return withAccountFlags(withRequestId(command))
    .addHelpText('after', help)
    .action(
      remoteAction<RemoteFlags, number>(async ({ sim }, { account }, id) => {
        const rewound = await sim.rewind(id, pickDefined({ account }))
        return [rewound, `Rewound ${rewound.account} to its state before request ${id}.`]
      }),
    )
}
