import type { Command } from 'commander'
import type { AccountSummary, Health } from '../../admin/shapes.ts'
import { UserError } from '../../lib/UserError.ts'
import { json } from '../../report/Report.ts'
import { table } from '../../report/text.ts'
import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { checkScenarioFile, scenarioText, write } from '../files.ts'
import { json as parseJson, withAccount } from '../flags.ts'
import { loadFile } from '../loadFile.ts'
import { printDocument } from '../output.ts'
import {
  action,
  loadedText,
  remote,
  segment,
  withRemoteFlags,
  type Remote,
  type RemoteFlags,
} from '../remote.ts'

const examples = `
Examples:
  proxysim state
  proxysim state export --output before.yaml && … && proxysim state import before.yaml
  proxysim state patch '{"credit":0}'`

export function state(command: Command): void {
  withRemoteFlags(command).addHelpText('after', examples)
  withAccount(
    action(command, 'show', 'list the accounts, or show one with --account'),
    'show this account',
  ).action(remote(show))
  action(
    command,
    'export',
    'print the current state as a scenario that, loaded again, gives the same responses',
  )
    .option('--output <file>', 'write it to a file (.yaml or .json)')
    .action(remote(exportTo))
  action(command, 'import', 'load such a scenario')
    .argument('<file>', 'the file')
    .action(
      remote(async ({ plane }, _flags, file = '') => {
        const loaded = await loadFile(plane, file)
        return [loaded, loadedText(file, loaded)]
      }),
    )
  withAccount(action(command, 'patch', 'apply a JSON Merge Patch to an account'))
    .argument('<patch>', 'the patch', parseJson)
    .action(
      remote<RemoteFlags, unknown>(async (simulator, { account }, body) => [
        await simulator.ask('PATCH', await accountPath(simulator, account), { ...ofPath, body }),
        'Patched.',
      ]),
    )
  action(command, 'snapshot', 'take a snapshot of the state, and print its id').action(
    remote(async ({ ask }) => {
      const { id } = await ask<{ id: string }>('POST', '/snapshots')
      return [{ id }, id]
    }),
  )
  action(command, 'restore', 'restore a snapshot')
    .argument('<id>', 'the id of the snapshot')
    .action(
      remote(async ({ ask }, _flags, id = '') => {
        await ask('POST', `/snapshots/${segment('snapshot', id)}/restore`)
        return [{ id }, `Restored snapshot ${id}.`]
      }),
    )
}

/** The path names the account. */
const ofPath = { query: { account: undefined } }

/** By default that of the only account. @throws UserError if there are several */
async function accountPath({ ask }: Remote, login?: string): Promise<string> {
  if (login !== undefined) return `/accounts/${encodeURIComponent(login)}`
  const logins = (await ask<AccountSummary[]>('GET', '/accounts')).map((account) => account.login)
  if (logins.length === 1) return `/accounts/${encodeURIComponent(logins[0] ?? '')}`
  throw new UserError(
    logins.length
      ? `Several accounts exist (${logins.slice(0, 20).join(', ')}). Choose one with --account.`
      : 'There is no account. Load a scenario that has one.',
  )
}

async function show(simulator: Remote, { account }: RemoteFlags): Promise<[unknown, string]> {
  const { ask } = simulator
  if (account !== undefined) {
    const world = await ask('GET', await accountPath(simulator, account), ofPath)
    return [world, json(world)]
  }
  const accounts = await ask<AccountSummary[]>('GET', '/accounts')
  const { scenario } = await ask<Health>('GET', '/health')
  return [accounts, `scenario ${scenario}\n${table([heads, ...accounts.map(rowOf)])}`]
}

const counts = ['clients', 'products', 'services', 'invoices', 'sessions', 'faults'] as const
const heads = ['login', 'credit', ...counts, 'clock']

function rowOf(account: AccountSummary): string[] {
  const { login, credit, clock } = account
  return [
    login,
    credit.toFixed(2),
    ...counts.map((name) => String(account[name])),
    `${clock.now}${clock.frozen ? ', frozen' : ''}`,
  ]
}

async function exportTo(
  { ask }: Remote,
  { output, json: isJson }: RemoteFlags & { output?: string },
): Promise<[unknown, string] | undefined> {
  if (output !== undefined) checkScenarioFile(output)
  const scenario = await ask<ScenarioDocument>('GET', '/scenario')
  if (output !== undefined) {
    await write(output, await scenarioText(scenario, output))
    return [{ output }, `Wrote ${output}.`]
  }
  printDocument(isJson ? json(scenario) : await scenarioText(scenario, ''))
  return undefined
}
