import { Argument, Option, type Command } from 'commander'
import type { ArmedFault } from '../../admin/shapes.ts'
import { defined } from '../../lib/json.ts'
import { mishaps } from '../../faults/namedFaults.ts'
import { table } from '../../report/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { noSuch } from '../../world/nearest.ts'
import { drops, faultPhases } from '../../world/values.ts'
import type { Fault } from '../../world/World.ts'
import { count, list, probability, takeNoFlags } from '../flags.ts'
import { printResult } from '../output.ts'
import { readJson } from '../readJson.ts'
import { connect, scopeOf, segment, withAccountFlags, type RemoteFlags } from '../remote.ts'

const names = mishaps.map(({ name }) => name)

const examples = `
Actions:
  list          show the faults
  add [FAULT]   add one: by its name, as JSON, or by flags
  remove ID     remove one
  clear         remove all

Examples:
  proxysim faults
  proxysim faults add --operation orderService --respond insufficient-funds --times 1
  proxysim faults add lost --operation orderService --times 1
  proxysim faults add bad-gateway --operation '*' --probability 0.1
  proxysim faults add --operation getService --match id=5001 --status 503 --body 'try later'
  proxysim faults add '{"operation":"*","delay":2000,"probability":0.1}'
  proxysim faults remove 1`

interface Flags
  extends RemoteFlags,
    Partial<Pick<Fault, 'operation' | 'phase' | 'delay' | 'drop' | 'after' | 'times' | 'probability'>> {
  match?: string[]
  respond?: string
  status?: number
  body?: string
}

export function faults(command: Command): Command {
  command
    .addArgument(
      new Argument('[action]', 'what to do').choices(['list', 'add', 'remove', 'clear']).default('list'),
    )
    .argument('[fault]', `to add: a name (${names.join(', ')}) or JSON; to remove: an id`)
  return withAccountFlags(command)
    .option('--operation <id>', 'the operationId of the contract, or * for all')
    .option('--match <name=value...>', 'only requests whose path parameter has this value', list)
    .addOption(
      new Option(
        '--phase <phase>',
        'before: the operation is not carried out; after: it is, but the response is lost or replaced',
      ).choices(faultPhases),
    )
    .option('--respond <case>', 'respond with this case of the operation, such as insufficient-funds')
    .addOption(new Option('--status <n>', 'respond with this status').argParser(count).conflicts('respond'))
    .option('--body <text>', 'the body to send with --status')
    .option('--delay <ms>', 'wait this many milliseconds before responding', count)
    .addOption(
      new Option(
        '--drop <how>',
        'reset the connection, close it without a response, or cut the response off',
      ).choices(drops),
    )
    .option('--after <n>', 'let this many matching requests pass first', count)
    .option('--times <n>', 'strike this many times, then stop', count)
    .option('--probability <p>', 'how likely it strikes each time, 0 to 1', probability)
    .addHelpText('after', examples)
    .action(run)
}

async function run(action: string, value: string | undefined, flags: Flags, command: Command): Promise<void> {
  if (value !== undefined && action !== 'add' && action !== 'remove')
    throw new UserError(`\`proxysim faults ${action}\` doesn't take ${JSON.stringify(value)}.`)
  if (action !== 'add') takeNoFlags(command, action)
  const fault = action === 'add' ? readFault(value?.trim(), flags) : undefined
  const plane = await connect(flags)
  const scope = scopeOf(flags)
  if (fault) {
    const added = await plane.json<ArmedFault>('POST', '/faults', { ...scope, body: fault })
    printResult(flags, added, () => `Added fault ${added.id} on ${added.operation}: ${describe(added)}`)
  } else if (action === 'clear') {
    await plane.json('DELETE', '/faults', scope)
    printResult(flags, [], 'Removed all faults.')
  } else if (action === 'remove') {
    if (value === undefined) throw new UserError('`proxysim faults remove` needs the id of a fault.')
    await plane.json('DELETE', `/faults/${segment('id', value)}`, scope)
    printResult(flags, { id: value }, `Removed fault ${value}.`)
  } else {
    const all = await plane.json<ArmedFault[]>('GET', '/faults', scope)
    printResult(flags, all, () => textOf(all))
  }
}

/** The simulator validates the fault: its error messages list what is allowed. */
function readFault(text: string | undefined, flags: Flags): object {
  const given: Partial<Fault> = text === undefined ? {} : readArgument(text)
  const { operation = given.operation, match, phase, status, body, delay, drop, after, times } = flags
  const effects = [flags.respond, status, delay, drop]
  if (text === undefined && effects.every((effect) => effect === undefined))
    throw new UserError('A fault needs an effect: --respond, --status, --delay or --drop.')
  if (operation === undefined) throw new UserError('A fault needs an operation: --operation.')
  if (body !== undefined && status === undefined) throw new UserError('--body needs --status.')
  if (status !== undefined && (drop ?? given.drop) !== undefined)
    throw new UserError('A fault either responds with a --status or drops the connection, not both.')
  const respond = status === undefined ? flags.respond : { status, ...defined({ body }) }
  const path = match && readMatch(match)
  const added = { operation, match: path && { path }, phase, respond, delay, drop, after, times }
  return { ...given, ...defined({ ...added, probability: flags.probability }) }
}

/** A fault by its name or as JSON; flags override it. */
function readArgument(text: string): Partial<Fault> {
  if (text.startsWith('{')) return readJson('The fault', text) as Partial<Fault>
  const named = mishaps.find(({ name }) => name === text)
  if (!named) throw new UserError(noSuch('fault', text, names))
  return named.fault
}

function readMatch(texts: readonly string[]): Record<string, string> {
  const path = new Map<string, string>()
  for (const text of texts) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/.exec(text) ?? []
    if (name === undefined)
      throw new UserError(`--match must be a path parameter and its value, such as id=5001, not ${text}.`)
    if (path.has(name)) throw new UserError(`--match names ${name} twice. A fault matches one value of each.`)
    path.set(name, value)
  }
  return Object.fromEntries(path)
}

function textOf(all: readonly ArmedFault[]): string {
  if (all.length === 0) return 'No active faults.'
  return table([
    ['id', 'operation', 'used', 'what'],
    ...all.map((fault) => [
      String(fault.id),
      fault.operation,
      `${fault.used}${fault.times === undefined ? '' : ` of ${fault.times}`}`,
      describe(fault),
    ]),
  ])
}

/** What it does, as JSON without the fields in other columns. */
function describe(fault: ArmedFault): string {
  const { id: _id, operation: _operation, seen: _seen, used: _used, spent, ...rest } = fault
  return `${JSON.stringify(rest)}${spent ? ' (used up)' : ''}`
}
