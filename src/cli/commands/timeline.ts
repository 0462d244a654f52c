import { Argument, Option, type Command } from 'commander'
import { defined } from '../../lib/json.ts'
import { table } from '../../report/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { atLeastOne, takeNoFlags } from '../flags.ts'
import { printResult } from '../output.ts'
import { readJson } from '../readJson.ts'
import { connect, scopeOf, segment, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Actions:
  list          show what is due, soonest first, and what was skipped
  add           add an entry: --after or --at says when, --patch or --add what happens
  remove ID     remove one entry
  clear         remove all entries

Examples:
  proxysim timeline
  proxysim timeline add --after PT10S --patch '{"services":{"5003":{"status":"Active"}}}'
  proxysim timeline add --after P1D --every P1D --times 30 --add '{"services":{"5101":{"usage":120}}}'
  proxysim timeline remove 3`

/** An entry of the timeline, as the control plane shows it */
interface Due {
  id: number
  at: string
  patch?: unknown
  add?: unknown
  description?: string
}

interface Timeline {
  timeline: Due[]
  skipped: { id: number; at?: string; reason: string }[]
}

interface Flags extends RemoteFlags {
  after?: string
  at?: string
  patch?: string
  add?: string
  every?: string
  times?: number
  description?: string
}

export function timeline(command: Command): Command {
  command
    .addArgument(
      new Argument('[action]', 'what to do').choices(['list', 'add', 'remove', 'clear']).default('list'),
    )
    .argument('[id]', 'the entry to remove')
  return withAccountFlags(command)
    .option('--after <duration>', "when it is due, from now by the account's clock (ISO 8601: PT10S)")
    .addOption(new Option('--at <instant>', 'when it is due (ISO 8601 with a time zone)').conflicts('after'))
    .option('--patch <json>', 'the change, as a JSON Merge Patch')
    .addOption(new Option('--add <json>', 'the usage to add, in MB').conflicts('patch'))
    .option('--every <duration>', 'repeat it (needs --times)')
    .option('--times <n>', 'how often it happens', atLeastOne)
    .option('--description <text>', 'what it is, for events and lists')
    .addHelpText('after', examples)
    .action(run)
}

async function run(action: string, id: string | undefined, flags: Flags, command: Command): Promise<void> {
  if (id !== undefined && action !== 'remove')
    throw new UserError(`\`proxysim timeline ${action}\` doesn't take ${JSON.stringify(id)}.`)
  if (action !== 'add') takeNoFlags(command, action)
  const entry = action === 'add' ? readEntry(flags) : undefined
  const plane = await connect(flags)
  const scope = scopeOf(flags)
  if (entry) {
    const added = await plane.json<Due>('POST', '/timeline', { ...scope, body: entry })
    return printResult(flags, added, `Added entry ${added.id}, due ${added.at}.`)
  }
  if (action === 'clear') {
    await plane.json('DELETE', '/timeline', scope)
    return printResult(flags, { timeline: [] }, 'Removed all entries.')
  }
  if (action === 'remove') {
    if (id === undefined) throw new UserError('`proxysim timeline remove` needs the id of an entry.')
    await plane.json('DELETE', `/timeline/${segment('id', id)}`, scope)
    return printResult(flags, { id }, `Removed entry ${id}.`)
  }
  const found = await plane.json<Timeline>('GET', '/timeline', scope)
  printResult(flags, found, () => textOf(found))
}

/** The simulator checks what the entry says. */
function readEntry({ after, at, patch, add, every, times, description }: Flags): object {
  if (after === undefined && at === undefined) throw new UserError('An entry needs a time: --after or --at.')
  if (patch === undefined && add === undefined)
    throw new UserError('An entry needs an effect: --patch or --add.')
  const effect = { patch: patch && readJson('--patch', patch), add: add && readJson('--add', add) }
  return defined({ after, at, ...effect, every, times, description })
}

function textOf({ timeline: due, skipped }: Timeline): string {
  const rows = due.map(({ id, at, patch, add, description = '' }) => [
    String(id),
    at,
    patch === undefined ? `add ${JSON.stringify(add)}` : JSON.stringify(patch),
    description,
  ])
  return [
    rows.length ? table([['id', 'due', 'change', 'description'], ...rows]) : 'Nothing is due.',
    ...skipped.map(({ id, at = '', reason }) => `Skipped entry ${id} ${at}: ${reason}`),
  ].join('\n')
}
