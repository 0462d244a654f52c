import type { Command } from 'commander'
import { loadContract } from '../../contract/loadContract.ts'
import type { UserError } from '../../lib/UserError.ts'
import { remote, withAccountFlags } from '../remote.ts'
import { say } from '../output.ts'

const help = `
Prints what the documentation leaves open and your client relies on, as questions to ask the provider: of the assumptions
that concern an operation called since the last reset, those that are not confirmed. Without a running simulator, all.
What an answer settles can be written into a scenario: accounts: { LOGIN: { confirmed: [geo] } }.

Examples:
  proxysim questions
  proxysim questions --json | jq -r '.[].question'`

export function questions(command: Command): Command {
  return withAccountFlags(command)
    .addHelpText('after', help)
    .action(
      remote(async ({ account }, { url }) => {
        const open = await account.assumptions().then(
          (all) => all.filter(({ used, confirmed }) => used && !confirmed),
          async (error: unknown) => {
            if ((error as UserError).code !== 'ERR_PROXYSIM_UNREACHABLE') throw error
            say(`No simulator answers at ${url}, so these are all questions.`)
            return (await loadContract()).assumptions
          },
        )
        const shown = open.map(({ id, question, operations }) => ({ id, question, operations }))
        const none = 'Nothing to ask: no operation that an unconfirmed assumption concerns was called.'
        return [shown, shown.map(({ question }) => question).join('\n') || none]
      }),
    )
}
