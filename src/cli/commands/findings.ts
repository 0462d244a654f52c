import type { Command } from 'commander'
import { counted } from '../../lib/text.ts'
import { text } from '../../report/text.ts'
import { findingsSection } from '../findingsSection.ts'
import { print } from '../output.ts'
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
      remoteAction(async ({ account }, { json }) => {
        const found = await account.findings()
        if (json) return [found, ''] as const
        const { total, requests } = await account.requests()
        const judged = total - requests.filter(({ rewound }) => rewound).length
        const undone = judged < total ? ` A rewind has undone ${total - judged} more.` : ''
        const summary = `${found.length === 0 ? 'No findings' : counted(found.length, 'finding')} in ${counted(judged, 'request')}.${undone}`
        print(text({ sections: [findingsSection(found)], summary }), { keepColours: true })
        return undefined
      }),
    )
}
