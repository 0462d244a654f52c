import { Option, type Command } from 'commander'
import type { ActiveFault } from '../../contract/shapes.ts'
import type { FaultOptions } from '../../client/FaultOptions.ts'
import { genericFaults } from '../../faults/presets.ts'
import { pickDefined } from '../../lib/json.ts'
import { table } from '../../report/text.ts'
import { effects } from '../../faults/effects/effects.ts'
import type { EffectFlag } from '../../faults/effects/FaultEffect.ts'
import { faultPhases } from '../../world/World.ts'
import type { Fault } from '../../world/World.ts'
import { textAssignmentParser, parseCount, jsonParser, numberParser } from '../flags.ts'
import { addAction, remoteAction, addRemovals, withAccountFlags, type RemoteFlags } from '../remote.ts'

const names = genericFaults.map(({ name }) => name)

const examples = `
Examples:
  proxysim faults
  proxysim faults add --operation orderService --respond insufficient-funds --times 1
  proxysim faults add lost --operation orderService --times 1
  proxysim faults add bad-gateway --probability 0.1                all operations
  proxysim faults add --operation getService --match id=5001 --status 503 --header 'Retry-After: 1'
  proxysim faults add --operation listServices --stale 1
  proxysim faults add '{"operation":"*","delay":2000,"probability":0.1}'
  proxysim faults remove 1`

interface Flags
  extends RemoteFlags,
    Partial<Pick<Fault, 'operation' | 'phase' | 'after' | 'times' | 'probability'>> {
  match?: Record<string, string>
}

export function faults(command: Command): void {
  withAccountFlags(command).addHelpText('after', examples)
  addAction(command, 'list', 'show the faults').action(
    remoteAction(async ({ account }) => {
      const all = await account.faults()
      return [all, () => renderFaults(all)]
    }),
  )
  const add = addAction(command, 'add', 'add a fault by name, as JSON, or with flags')
    .argument('[fault]', `a name (${names.join(', ')}) or JSON`, parseFault)
    .option('--operation <id>', 'operationId, or * for all operations')
    .option(
      '--match <name=value...>',
      'match only requests with this path parameter, such as id=5001',
      textAssignmentParser('a path parameter and its value, such as id=5001'),
    )
    .addOption(
      new Option(
        '--phase <phase>',
        'before: the operation is not executed; after: it is executed, then its response is lost or replaced',
      ).choices(faultPhases),
    )
  for (const { flags } of Object.values(effects)) for (const flag of flags) add.addOption(createOption(flag))
  add
    .option('--after <n>', 'let this many matching requests through first', parseCount)
    .option('--times <n>', 'trigger this many times, then stop', parseCount)
    .option(
      '--probability <p>',
      'probability of triggering on each matching request, 0 to 1',
      numberParser(0, 1),
    )
    .action(
      remoteAction<Flags, Partial<Fault> | undefined>(async ({ sim, login }, flags, base) => {
        const name = await login()
        const added = await sim.account(name).fault(withFlags(base, flags))
        return [added, `Added fault ${added.id} on ${added.operation} for ${name}: ${describeEffects(added)}`]
      }),
    )
  addRemovals(command, {
    singular: 'fault',
    plural: 'faults',
    remove: (account, id) => account.removeFault(id),
    clear: (account) => account.clearFaults(),
  })
}

/** Merges a named or JSON fault with flags, which take precedence. The simulator validates the result. */
function withFlags(base: Partial<Fault> | undefined, flags: Flags): FaultOptions {
  const { operation, match: path, phase, after, times, probability } = flags
  const match = path && { path }
  const effectFields = Object.entries(effects).map(([name, { fromFlags }]) => {
    const all = flags as unknown as Record<string, unknown>
    return [name, fromFlags ? fromFlags(all) : all[name]]
  })
  return {
    ...base,
    ...pickDefined({
      operation,
      match,
      phase,
      after,
      times,
      probability,
      ...Object.fromEntries(effectFields),
    }),
  } as FaultOptions
}

function createOption({ flag, description, range, choices, isList, conflicts }: EffectFlag): Option {
  const option = new Option(flag, description)
  if (range) option.argParser(numberParser(...range, 'a whole number'))
  if (choices) option.choices(choices)
  if (isList) option.argParser((text, before: string[] | undefined) => [...(before ?? []), text])
  if (conflicts !== undefined) option.conflicts(conflicts)
  return option
}

const faultJson = jsonParser('{"operation": "getCredit", "delay": 1000}')

function parseFault(text: string): Partial<Fault> {
  const fault = /^\s*[{"]/.test(text) ? faultJson(text) : text
  return (typeof fault === 'string' ? { name: fault } : fault) as Partial<Fault>
}

function renderFaults(all: readonly ActiveFault[]): string {
  if (all.length === 0) return 'No active faults.'
  const rows = all.map((fault) => {
    const { id, operation, used, times } = fault
    return [
      String(id),
      operation,
      times === undefined ? String(used) : `${used} of ${times}`,
      describeEffects(fault),
    ]
  })
  return table([['id', 'operation', 'triggered', 'effect'], ...rows])
}

/** Renders the effects of a fault as JSON, without the fields in other columns. */
function describeEffects(fault: ActiveFault): string {
  const { id: _id, operation: _operation, seen: _seen, used: _used, exhausted, ...effectsOnly } = fault
  return `${JSON.stringify(effectsOnly)}${exhausted ? ' (exhausted)' : ''}`
}
