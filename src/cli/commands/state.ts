import { Argument, type Command } from 'commander'
import type { AccountSummary, Health } from '../../admin/shapes.ts'
import type { ControlPlane } from '../../client/ControlPlane.ts'
import { table } from '../../report/text.ts'
import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { UserError } from '../../UserError.ts'
import { checkScenarioFile, scenarioText, write } from '../files.ts'
import { loadFile } from '../loadFile.ts'
import { printDocument, printResult } from '../output.ts'
import { readJson } from '../readJson.ts'
import { connect, loadedText, segment, withAccountFlags, type RemoteFlags } from '../remote.ts'
import { json } from '../../report/Report.ts'

const examples = `
Actions:
  show           list the accounts, or show one account with --account
  export         print the current state as a scenario that, loaded again, gives the same responses
  import FILE    load such a scenario
  patch JSON     apply a JSON Merge Patch to an account
  snapshot       take a snapshot of the state, and print its id
  restore ID     restore a snapshot

Examples:
  proxysim state
  proxysim state export --output before.yaml && … && proxysim state import before.yaml
  proxysim state patch '{"credit":0}'`

/** What each action takes, and whether it is about one account */
const actions: Record<string, { takes?: string; isOnAccount?: boolean }> = {
  show: { isOnAccount: true },
  export: {},
  import: { takes: 'a file' },
  patch: { takes: 'a JSON Merge Patch', isOnAccount: true },
  snapshot: {},
  restore: { takes: 'the id of a snapshot' },
}

interface Flags extends RemoteFlags {
  output?: string
}

export function state(command: Command): Command {
  command
    .addArgument(new Argument('[action]', 'what to do').choices(Object.keys(actions)).default('show'))
    .argument('[value]', 'the file, patch or id, depending on the action')
  return withAccountFlags(command)
    .option('--output <file>', 'export: write to a file (.yaml or .json)')
    .addHelpText('after', examples)
    .action(run)
}

async function run(action: string, given: string | undefined, flags: Flags): Promise<void> {
  const { account, output } = flags
  const name = `\`proxysim state ${action}\``
  const { takes, isOnAccount } = actions[action] ?? {}
  if (account !== undefined && !isOnAccount)
    throw new UserError(`${name} doesn't take --account. It is about all accounts.`)
  if (output !== undefined && action !== 'export') throw new UserError(`${name} doesn't take --output.`)
  if (takes !== undefined && given === undefined) throw new UserError(`${name} needs ${takes}.`)
  if (takes === undefined && given !== undefined)
    throw new UserError(
      `${name} doesn't take ${JSON.stringify(given)}.${action === 'show' ? ' --account shows one account.' : action === 'export' ? ' --output names a file.' : ''}`,
    )
  const plane = await connect(flags)
  const value = given ?? ''
  if (action === 'show') return show(plane, flags)
  if (action === 'export') return exportTo(plane, flags)
  if (action === 'import') {
    const loaded = await loadFile(plane, value)
    return printResult(flags, loaded, loadedText(value, loaded))
  }
  if (action === 'patch') {
    const body = readJson('The patch', value)
    const world = await plane.json('PATCH', await accountPath(plane, account), { body })
    return printResult(flags, world, 'Patched.')
  }
  if (action === 'snapshot') {
    const { id } = await plane.json<{ id: string }>('POST', '/snapshots')
    return printResult(flags, { id }, id)
  }
  await plane.json('POST', `/snapshots/${segment('snapshot', value)}/restore`)
  printResult(flags, { id: value }, `Restored snapshot ${value}.`)
}

/** By default that of the only account. @throws UserError if there are several */
async function accountPath(plane: ControlPlane, login?: string): Promise<string> {
  if (login !== undefined) return `/accounts/${encodeURIComponent(login)}`
  const logins = (await plane.json<AccountSummary[]>('GET', '/accounts')).map((account) => account.login)
  if (logins.length === 1) return `/accounts/${encodeURIComponent(logins[0] ?? '')}`
  throw new UserError(
    logins.length
      ? `Several accounts exist (${logins.slice(0, 20).join(', ')}). Choose one with --account.`
      : 'There is no account. Load a scenario that has one.',
  )
}

async function show(plane: ControlPlane, flags: Flags): Promise<void> {
  if (flags.account !== undefined)
    return printResult({ json: true }, await plane.json('GET', await accountPath(plane, flags.account)), '')
  const accounts = await plane.json<AccountSummary[]>('GET', '/accounts')
  const { scenario } = await plane.json<Health>('GET', '/health')
  printResult(flags, accounts, () => `scenario ${scenario}\n${table([heads, ...accounts.map(rowOf)])}`)
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

async function exportTo(plane: ControlPlane, { output, ...flags }: Flags): Promise<void> {
  if (output !== undefined) checkScenarioFile(output)
  const scenario = await plane.json<ScenarioDocument>('GET', '/scenario')
  if (output === undefined) return printDocument(flags.json ? json(scenario) : scenarioText(scenario, ''))
  await write(output, scenarioText(scenario, output))
  printResult(flags, { output }, `Wrote ${output}.`)
}
