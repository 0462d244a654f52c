import type { Command } from 'commander'
import type { AccountSummary } from '../../contract/shapes.ts'
import { json } from '../../report/Report.ts'
import { table } from '../../report/text.ts'
import { summaryColumns, summaryCells } from '../../service/index.ts'
import { renderScenario, write } from '../files.ts'
import { jsonParser, parseScenarioFile, withAccount } from '../flags.ts'
import { loadFile } from '../loadFile.ts'
import { printDocument } from '../output.ts'
import { addAction, describeLoad, remoteAction, withRemoteFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim state
  proxysim state export --output before.yaml && … && proxysim state import before.yaml
  proxysim state patch '{"credit":0}'`

export function state(command: Command): void {
  withRemoteFlags(command).addHelpText('after', examples)
  const show = addAction(command, 'show', 'list the accounts, or show one with --account')
  withAccount(show, 'show this account').action(
    remoteAction(async ({ sim, account }, { account: login }) => {
      if (login !== undefined) {
        const shown = await account.state()
        return [shown, json(shown)]
      }
      const accounts = await sim.accounts()
      const { scenario } = await sim.health()
      return [accounts, `scenario ${scenario}\n${table([headings, ...accounts.map(toRow)])}`]
    }),
  )
  const summary = 'print the current state as a scenario that reproduces its responses'
  addAction(command, 'export', summary)
    .option('--output <file>', 'write it to a file (.yaml or .json)', parseScenarioFile)
    .action(
      remoteAction<RemoteFlags & { output?: string }>(async ({ sim }, { output, json: isJson }) => {
        const scenario = await sim.scenario()
        if (output === undefined)
          return printDocument(isJson ? json(scenario) : await renderScenario(scenario, ''))
        await write(output, await renderScenario(scenario, output))
        return [{ output }, `Wrote ${output}.`]
      }),
    )
  addAction(command, 'import', 'load a scenario that was exported with `state export`')
    .argument('<file>', 'a scenario file')
    .action(
      remoteAction(async ({ plane }, _flags, file) => {
        const loaded = await loadFile(plane, file)
        return [loaded, describeLoad(`Loaded ${file}`, loaded)]
      }),
    )
  withAccount(addAction(command, 'patch', 'apply a JSON Merge Patch to an account'))
    .argument('<patch>', 'the patch as JSON', jsonParser('{"credit": 5}'))
    .action(
      remoteAction<RemoteFlags, object>(async ({ sim, login }, _flags, patch) => {
        const name = await login()
        return [await sim.account(name).patch(patch), `Patched ${name}.`]
      }),
    )
  addAction(command, 'snapshot', 'take a snapshot of the state, and print its id').action(
    remoteAction(async ({ sim }) => {
      const id = await sim.snapshot()
      return [{ id }, id]
    }),
  )
  addAction(command, 'restore', 'restore a snapshot')
    .argument('<id>', 'the id of the snapshot')
    .action(
      remoteAction(async ({ sim }, _flags, id) => {
        await sim.restore(id)
        return [{ id }, `Restored snapshot ${id}.`]
      }),
    )
}

const headings = ['login', ...summaryColumns, 'faults', 'clock']

function toRow(account: AccountSummary): string[] {
  const { login, faults, clock } = account
  return [login, ...summaryCells(account), String(faults), `${clock.now}${clock.frozen ? ', frozen' : ''}`]
}
