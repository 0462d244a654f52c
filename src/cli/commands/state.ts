import type { Command } from 'commander'
import type { AccountSummary, Health } from '../../admin/shapes.ts'
import { onlyLogin, segment } from '../../client/ControlPlane.ts'
import { json } from '../../report/Report.ts'
import { table } from '../../report/text.ts'
import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { scenarioText, writeScenario } from '../files.ts'
import { json as parseJson, scenarioFile, withAccount } from '../flags.ts'
import { loadFile } from '../loadFile.ts'
import { printDocument } from '../output.ts'
import { action, loadedText, remote, withRemoteFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim state
  proxysim state export --output before.yaml && … && proxysim state import before.yaml
  proxysim state patch '{"credit":0}'`

export function state(command: Command): void {
  withRemoteFlags(command).addHelpText('after', examples)
  const show = action(command, 'show', 'list the accounts, or show one with --account')
  withAccount(show, 'show this account').action(
    remote(async (ask, { account }) => {
      if (account !== undefined) {
        const world = await ask('GET', accountPath(account))
        return [world, json(world)]
      }
      const accounts = await ask<AccountSummary[]>('GET', '/accounts')
      const { scenario } = await ask<Health>('GET', '/health')
      return [accounts, `scenario ${scenario}\n${table([heads, ...accounts.map(rowOf)])}`]
    }),
  )
  const summary = 'print the current state as a scenario that, loaded again, gives the same responses'
  action(command, 'export', summary)
    .option('--output <file>', 'write it to a file (.yaml or .json)', scenarioFile)
    .action(
      remote<RemoteFlags & { output?: string }>(async (ask, { output, json: isJson }) => {
        const scenario = await ask<ScenarioDocument>('GET', '/scenario')
        if (output === undefined)
          return printDocument(isJson ? json(scenario) : await scenarioText(scenario, ''))
        await writeScenario(output, scenario)
        return [{ output }, `Wrote ${output}.`]
      }),
    )
  action(command, 'import', 'load such a scenario')
    .argument('<file>', 'the file')
    .action(
      remote(async (_ask, _flags, file, plane) => {
        const loaded = await loadFile(plane, file)
        return [loaded, loadedText(file, loaded)]
      }),
    )
  withAccount(action(command, 'patch', 'apply a JSON Merge Patch to an account'))
    .argument('<patch>', 'the patch', parseJson)
    .action(
      remote<RemoteFlags, unknown>(async (_ask, { account }, body, plane) => {
        const path = accountPath(account ?? (await onlyLogin(plane)))
        return [await plane.json('PATCH', path, { body }), 'Patched.']
      }),
    )
  action(command, 'snapshot', 'take a snapshot of the state, and print its id').action(
    remote(async (ask) => {
      const { id } = await ask<{ id: string }>('POST', '/snapshots')
      return [{ id }, id]
    }),
  )
  action(command, 'restore', 'restore a snapshot')
    .argument('<id>', 'the id of the snapshot')
    .action(
      remote(async (ask, _flags, id) => {
        await ask('POST', `/snapshots/${segment('snapshot', id)}/restore`)
        return [{ id }, `Restored snapshot ${id}.`]
      }),
    )
}

function accountPath(login: string): string {
  return `/accounts/${segment('login', login)}`
}

const counts = ['clients', 'products', 'services', 'invoices', 'sessions', 'faults'] as const
const heads = ['login', 'credit', ...counts, 'clock']

function rowOf(account: AccountSummary): string[] {
  const { login, credit, clock } = account
  const numbers = counts.map((name) => String(account[name]))
  return [login, credit.toFixed(2), ...numbers, `${clock.now}${clock.frozen ? ', frozen' : ''}`]
}
