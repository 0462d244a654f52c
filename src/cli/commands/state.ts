import { Argument, type Command } from 'commander'
import type { AccountSummary } from '../../admin/shapes.ts'
import type { SimulatorHandle } from '../../client/SimulatorHandle.ts'
import type { ControlPlane } from '../../client/ControlPlane.ts'
import type { ScenarioAccount } from '../../scenario/ScenarioDocument.ts'
import { UserError } from '../../UserError.ts'
import type { PatchOf } from '../../world/WorldChange.ts'
import { loadFile } from '../loadFile.ts'
import { print } from '../print.ts'
import { createRemote, scopeOf, withAccountFlags, type AccountFlags } from '../remote.ts'
import { json } from '../reports.ts'
import { checkScenarioFile, scenarioText } from '../scenarioText.ts'
import { table } from '../table.ts'
import { writing } from '../writing.ts'

const examples = `
Actions:
  show             list the accounts, or show one account's world with --account
  export [FILE]    write the current state as a scenario that, loaded again, gives the same answers
  import FILE      load such a scenario
  patch JSON       apply a JSON Merge Patch to an account's world
  snapshot         take a snapshot of the state, and print its id
  restore ID       restore a snapshot

Examples:
  proxysim state
  proxysim state export before.yaml && … && proxysim state import before.yaml
  proxysim state patch '{"credit":0}'`

const actions = ['show', 'export', 'import', 'patch', 'snapshot', 'restore']

export function state(command: Command): Command {
  return withAccountFlags(
    command
      .addArgument(new Argument('[action]', 'what to do').choices(actions).default('show'))
      .argument('[value]', 'the file, patch or id, depending on the action'),
  )
    .addHelpText('after', examples)
    .action(run)
}

/** Actions on one account; the others concern all of them. */
const onAccount = ['show', 'patch']

const withoutValue = ['show', 'snapshot']

async function run(action: string, value: string | undefined, flags: AccountFlags): Promise<void> {
  if (flags.account !== undefined && !onAccount.includes(action))
    throw new UserError(`\`proxysim state ${action}\` takes no --account: it is about all accounts.`)
  if (value !== undefined && withoutValue.includes(action))
    throw new UserError(
      `\`proxysim state ${action}\` takes no ${JSON.stringify(value)}${action === 'show' ? '; --account shows the world of one account' : ''}.`,
    )
  const { sim, plane } = await createRemote(flags)
  if (action === 'export') return exportTo(sim, value, flags)
  if (action === 'snapshot') {
    const id = await sim.snapshot()
    return print(flags, { id }, id)
  }
  if (action === 'show') return show(sim, flags)
  if (value === undefined) throw new UserError(`\`proxysim state ${action}\` needs ${needs[action]}.`)
  if (action === 'import') return importFrom(plane, value, flags)
  if (action === 'patch') {
    const world = await sim.patch(readPatch(value), scopeOf(flags))
    return print(flags, world, 'Patched.')
  }
  await sim.restore(value)
  print(flags, { id: value }, `Restored snapshot ${value}.`)
}

const needs: Record<string, string> = {
  import: 'a file',
  patch: 'a JSON Merge Patch',
  restore: 'the id of a snapshot',
}

async function show(sim: SimulatorHandle, flags: AccountFlags): Promise<void> {
  if (flags.account !== undefined) {
    const world = await sim.world(scopeOf(flags))
    return print({ json: true }, world, '')
  }
  const [accounts, { scenario }] = await Promise.all([sim.accounts(), sim.health()])
  print(flags, accounts, () => `scenario ${scenario}\n${table([heads, ...accounts.map(rowOf)])}`)
}

const heads = [
  'login',
  'credit',
  'clients',
  'products',
  'services',
  'invoices',
  'sessions',
  'faults',
  'clock',
]

function rowOf(account: AccountSummary): string[] {
  const { login, credit, clients, products, services, invoices, sessions, faults, clock } = account
  return [
    login,
    credit.toFixed(2),
    ...[clients, products, services, invoices, sessions, faults].map(String),
    `${clock.now}${clock.frozen ? ', frozen' : ''}`,
  ]
}

async function exportTo(sim: SimulatorHandle, file: string | undefined, flags: AccountFlags): Promise<void> {
  if (file !== undefined) checkScenarioFile(file)
  const scenario = await sim.scenario()
  if (file === undefined)
    return print({}, undefined, flags.json ? json(scenario) : await scenarioText(scenario, ''))
  await writing(file, await scenarioText(scenario, file))
  print(flags, { file }, `Wrote ${file}`)
}

async function importFrom(plane: ControlPlane, file: string, flags: AccountFlags): Promise<void> {
  const loaded = await loadFile(plane, file)
  print(flags, loaded, `Loaded ${file}; accounts: ${loaded.accounts.join(', ')}`)
}

function readPatch(text: string): PatchOf<ScenarioAccount> {
  try {
    return JSON.parse(text) as PatchOf<ScenarioAccount>
  } catch (error) {
    throw new UserError(`The patch is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
}
