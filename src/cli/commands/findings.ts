import type { Command } from 'commander'
import { counted } from '../../lib/text.ts'
import { formatIds } from '../findingsSection.ts'
import { remoteAction, withAccountFlags } from '../remote.ts'

const help = `
Prints what the client did that would cause damage with the real service, the most severe first, with the requests that show
it. docs/findings.md explains each. Always exits with 0; \`sweep\` exits
with 1 for harmful ones.

Examples:
  proxysim findings
  proxysim findings --json | jq -r '.[].finding'`

export function findings(command: Command): Command {
  return withAccountFlags(command)
    .addHelpText('after', help)
    .action(
      remoteAction(async ({ account }) => {
        const found = await account.findings()
        const lines = found.map(
          ({ finding, severity, message, advice, requests }) =>
            `${finding}: ${message} ${advice} (severity ${severity}; ${requests.length === 1 ? 'request' : 'requests'} ${formatIds(requests)})`,
        )
        const { total } = await account.requests({ limit: 0 })
        return [found, lines.join('\n') || `No findings in ${counted(total, 'request')}.`]
      }),
    )
}
