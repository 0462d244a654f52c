import { Argument, Option, type Command } from 'commander'
import type { ArmedFault } from '../../admin/shapes.ts'
import type { FaultOptions } from '../../client/FaultOptions.ts'
import { defined } from '../../defined.ts'
import { mishaps } from '../../faults/namedFaults.ts'
import { didYouMean } from '../../world/nearest.ts'
import { drops, faultPhases } from '../../world/values.ts'
import type { Fault } from '../../world/World.ts'
import { UserError } from '../../UserError.ts'
import { collect, count, probability, takeNoFilters } from '../arguments.ts'
import { print } from '../print.ts'
import { createRemote, scopeOf, withAccountFlags, type AccountFlags } from '../remote.ts'
import { table } from '../table.ts'

const names = mishaps.map(({ name }) => name)

const examples = `
Examples:
  proxysim faults
  proxysim faults add --operation orderService --respond insufficient-funds --times 1
  proxysim faults add lost --operation orderService --times 1
  proxysim faults add --operation orderService --phase after --drop reset --times 1
  proxysim faults add --operation getService --match id=5001 --status 503 --body 'try later'
  proxysim faults add '{"operation":"*","delay":2000,"probability":0.1}'
  proxysim faults clear`

interface Flags
  extends AccountFlags,
    Partial<Pick<Fault, 'operation' | 'phase' | 'delay' | 'drop' | 'after' | 'times' | 'probability'>> {
  match?: string[]
  respond?: string
  status?: number
  body?: string
}

export function faults(command: Command): Command {
  return withAccountFlags(
    command
      .addArgument(new Argument('[action]', 'what to do').choices(['list', 'add', 'clear']).default('list'))
      .argument('[fault]', `a fault by its name (${names.join(', ')}), or as JSON; flags override it`)
      .option('--operation <id>', 'the operationId of the contract, or * for all')
      .option(
        '--match <name=value>',
        'only requests whose path parameter has this value (repeatable)',
        collect,
      )
      .addOption(
        new Option(
          '--phase <phase>',
          'before: the operation does not happen; after: it happens, but the answer is lost or replaced',
        ).choices(faultPhases),
      )
      .option('--respond <case>', 'respond with this case of the operation, such as insufficient-funds')
      .addOption(new Option('--status <n>', 'respond with this status').argParser(count).conflicts('respond'))
      .option('--body <text>', 'the body to send with --status')
      .option('--delay <ms>', 'wait this many milliseconds before answering', count)
      .addOption(
        new Option(
          '--drop <how>',
          'drop the connection: reset it, close it without an answer, or cut the answer off',
        ).choices(drops),
      )
      .option('--after <n>', 'let this many matching requests pass first', count)
      .option('--times <n>', 'strike this many times, then stop', count)
      .option('--probability <p>', 'how likely it strikes each time, 0 to 1', probability),
  )
    .addHelpText('after', examples)
    .action(run)
}

async function run(action: string, json: string | undefined, flags: Flags, command: Command): Promise<void> {
  if (json !== undefined && action !== 'add')
    throw new UserError(`\`proxysim faults ${action}\` takes no fault.`)
  if (action !== 'add') takeNoFilters(command, action)
  const fault = action === 'add' ? readFault(json?.trim(), flags) : undefined
  const { sim } = await createRemote(flags)
  const scope = scopeOf(flags)
  if (fault) {
    const armed = await sim.fault(fault, scope)
    print(flags, armed, () => `Added fault ${armed.id} on ${armed.operation}: ${describe(armed)}`)
  } else if (action === 'clear') {
    await sim.clearFaults(scope)
    print(flags, [], 'All faults are removed.')
  } else {
    const all = await sim.faults(scope)
    print(flags, all, () => list(all))
  }
}

/** The simulator validates the fault: its error messages list what is allowed. */
function readFault(text: string | undefined, flags: Flags): FaultOptions {
  const given: Partial<Fault> = text === undefined ? {} : readArgument(text)
  const { operation = given.operation, match, phase, status, body, delay, drop, after, times } = flags
  if (operation === undefined && !text?.startsWith('{')) {
    const effect = text ?? flags.respond ?? status ?? delay ?? drop
    throw new UserError(
      `A fault needs --operation${effect === undefined ? ' and one of --respond, --status, --delay and --drop' : ''}.`,
    )
  }
  if (body !== undefined && status === undefined) throw new UserError('--body needs --status.')
  if (status !== undefined && (drop ?? given.drop) !== undefined)
    throw new UserError('A fault either answers with a --status or drops the connection, not both.')
  const respond = status === undefined ? flags.respond : { status, ...defined({ body }) }
  const path = match && readMatch(match)
  const added = { operation, match: path && { path }, phase, respond, delay, drop, after, times }
  return { ...given, ...defined({ ...added, probability: flags.probability }) } as FaultOptions
}

/** A fault by its name or as JSON; flags override it. */
function readArgument(text: string): Partial<Fault> {
  if (!text.startsWith('{')) {
    const named = mishaps.find(({ name }) => name === text)
    if (named) return named.fault
    throw new UserError(
      `There is no fault ${JSON.stringify(text)}${didYouMean(text, names) || '.'} There are: ${names.join(', ')}; or give it as JSON.`,
    )
  }
  try {
    return JSON.parse(text) as Partial<Fault>
  } catch (error) {
    throw new UserError(`The fault is not valid JSON: ${(error as Error).message}`)
  }
}

function readMatch(texts: readonly string[]): Record<string, string> {
  const path = new Map<string, string>()
  for (const [name, value] of texts.map(readPair)) {
    if (path.has(name)) throw new UserError(`--match names ${name} twice; a fault matches one value of each.`)
    path.set(name, value)
  }
  return Object.fromEntries(path)
}

function readPair(text: string): [string, string] {
  const mark = text.indexOf('=')
  if (mark < 1)
    throw new UserError(`--match takes a path parameter and its value, such as id=5001, not ${text}.`)
  return [text.slice(0, mark), text.slice(mark + 1)]
}

function list(all: readonly ArmedFault[]): string {
  if (all.length === 0) return 'There are no faults.'
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
function describe({
  id: _id,
  operation: _operation,
  seen: _seen,
  used: _used,
  spent,
  ...rest
}: ArmedFault): string {
  return `${JSON.stringify(rest)}${spent ? ' (spent)' : ''}`
}
