import type { Command } from 'commander'
import { loadContract } from '../../contract/loadContract.ts'
import type { UserError } from '../../lib/UserError.ts'
import { remoteAction, withAccountFlags } from '../remote.ts'
import { printMessage } from '../output.ts'

const help = `
Prints the gaps in the documentation that your client relies on, as questions to ask the provider: one per unconfirmed
assumption about an operation that was called since the last reset. Without a running simulator, it prints all questions.
When an answer confirms an assumption, record that in a scenario: accounts: { LOGIN: { confirmed: [geo] } }.

Examples:
  proxysim questions
  proxysim questions --json | jq -r '.[].question'`

export function questions(command: Command): Command {
  return withAccountFlags(command)
    .addHelpText('after', help)
    .action(
      remoteAction(async ({ account }, { url }) => {
        const open = await account.assumptions().then(
          (all) => all.filter(({ used, confirmed }) => used && !confirmed),
          async (error: unknown) => {
            // Without a cause, another server answers there.
            const { code, cause } = error as UserError
            if (code !== 'ERR_PROXYSIM_UNREACHABLE' || cause === undefined) throw error
            printMessage(`No simulator answers at ${url}, so all questions are listed.`)
            return (await loadContract()).assumptions
          },
        )
        const shown = open.map(({ id, question, operations }) => ({ id, question, operations }))
        const none = 'Nothing to ask. No operation with an unconfirmed assumption was called.'
        return [shown, shown.map(({ question }) => question).join('\n') || none]
      }),
    )
}
