import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import type { RequestFilter } from '../../client/SimulatorHandle.ts'
import type { JournalEntry } from '../../admin/shapes.ts'
import { count, login, takeNoFilters } from '../arguments.ts'
import { print } from '../print.ts'
import { createRemote, withRemoteFlags, type RemoteFlags } from '../remote.ts'
import { table } from '../table.ts'
import { json } from '../reports.ts'
import { writing } from '../writing.ts'
import { counted } from '../../counted.ts'

const examples = `
Examples:
  proxysim requests --operation orderService --status 4xx
  proxysim requests --limit 1 --json
  proxysim requests --follow --status 4xx
  proxysim requests --har journal.har
  proxysim requests clear`

interface Flags extends RemoteFlags {
  operation?: string
  status?: string
  case?: string
  account?: string
  limit: number
  follow?: boolean
  har?: string
}

export function requests(command: Command): Command {
  return withRemoteFlags(
    command
      .addArgument(new Argument('[action]', 'what to do').choices(['list', 'clear']).default('list'))
      .option('--operation <id>', 'only requests of this operation')
      .option('--status <n>', 'only requests with this status, or a class of them: 4xx', status)
      .option('--case <name>', 'only requests answered with this case')
      .option('--account <login>', 'only requests of this account', login)
      .option('--limit <n>', 'show the newest n requests', count, 20)
      .addOption(
        new Option('--follow', 'print each new request as it comes, until Ctrl-C').conflicts([
          'limit',
          'har',
        ]),
      )
      .option('--har <file>', 'write the requests to a file as HAR 1.2'),
  )
    .addHelpText('after', examples)
    .action(run)
}

async function run(action: string, flags: Flags, command: Command): Promise<void> {
  const { sim, plane } = await createRemote(flags)
  if (action === 'clear') {
    takeNoFilters(command, action)
    const { account } = flags
    await plane.json('DELETE', '/requests', { query: { account } })
    const emptied = account === undefined ? 'is empty' : `has no requests of ${account}`
    return print(flags, { total: 0 }, `The journal ${emptied}.`)
  }
  const { operation, status: wanted, case: name, account, limit, har } = flags
  // The simulator validates these names.
  const filter = { operation, status: wanted, case: name, account } as RequestFilter
  if (flags.follow) {
    const { followRequests } = await import('../followRequests.ts')
    return followRequests(plane, filter, (entry) =>
      process.stdout.write(`${flags.json ? JSON.stringify(entry) : followed(entry)}\n`),
    )
  }
  if (har !== undefined) {
    // A file gets all requests, unless there is an explicit limit.
    const isLimited = command.getOptionValueSource('limit') !== 'default'
    const archive = await sim.har({ ...filter, ...(isLimited && { limit }) })
    await writing(har, json(archive))
    return print(flags, { har }, `Wrote ${har}`)
  }
  const found = await sim.requests({ ...filter, limit })
  const { total, requests: entries, dropped } = found
  print(flags, found, () =>
    [
      ...(entries.length ? [table(entries.map(rowOf))] : []),
      `${entries.length} of ${counted(total, 'request')}${dropped ? `; ${dropped} more fell out of the journal` : ''}`,
    ].join('\n'),
  )
}

function rowOf(entry: JournalEntry): string[] {
  const { id, time, method, path, status: answered, operation, reason } = entry
  return [
    `#${id}`,
    time,
    String(answered ?? 'lost'),
    operation ?? '-',
    `${method} ${path}`,
    why(entry.case, reason),
  ]
}

/** A single row, with fixed column widths. */
function followed(entry: JournalEntry): string {
  const widths = [4, 24, 3, 12]
  return rowOf(entry)
    .map((cell, i) => cell.padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd()
}

function why(name: string | null, reason: string | null): string {
  return [name, reason].filter((text) => text !== null).join(': ')
}

function status(text: string): string {
  if (!/^[1-5](\d\d|xx)$/.test(text))
    throw new InvalidArgumentError('It must be a status such as 422, or a class such as 4xx.')
  return text
}
