import { writeFile } from 'node:fs/promises'
import { Argument, InvalidArgumentError, type Command } from 'commander'
import type { RequestFilter } from '../../client/SimulatorHandle.ts'
import type { JournalEntry } from '../../journal/JournalEntry.ts'
import { count } from '../arguments.ts'
import { print } from '../print.ts'
import { reach, withRemoteFlags, type RemoteFlags } from '../remote.ts'
import { table } from '../table.ts'
import { writing } from '../writing.ts'

const examples = `
Examples:
  proxysim requests --operation orderService --status 4xx
  proxysim requests --limit 1 --json
  proxysim requests --har journal.har
  proxysim requests clear`

interface Flags extends RemoteFlags {
  operation?: string
  status?: string
  case?: string
  account?: string
  limit: number
  har?: string
}

/** `proxysim requests` */
export function requests(command: Command): Command {
  return withRemoteFlags(
    command
      .addArgument(new Argument('[action]', 'what to do').choices(['list', 'clear']).default('list'))
      .option('--operation <id>', 'only of this operation')
      .option('--status <n>', 'only with this status, or a class of them: 4xx', status)
      .option('--case <name>', 'only answered with this case')
      .option('--account <login>', 'only of this account')
      .option('--limit <n>', 'the newest so many', count, 20)
      .option('--har <file>', 'write them to a file as HAR 1.2'),
  )
    .addHelpText('after', examples)
    .action(run)
}

async function run(action: string, flags: Flags, command: Command): Promise<void> {
  const { sim } = await reach(flags)
  if (action === 'clear') {
    await sim.clearRequests()
    return print(flags, { total: 0 }, 'The journal is empty.')
  }
  const { operation, status: wanted, case: name, account, limit, har } = flags
  // Names of the contract are the simulator's to check.
  const filter = { operation, status: wanted, case: name, account } as RequestFilter
  if (har !== undefined) {
    // Into a file goes all, unless it is said how many.
    const isLimited = command.getOptionValueSource('limit') !== 'default'
    const archive = await sim.har({ ...filter, ...(isLimited && { limit }) })
    await writing(har, () => writeFile(har, `${JSON.stringify(archive, null, 2)}\n`))
    return print(flags, { har }, `Wrote ${har}`)
  }
  const found = await sim.requests({ ...filter, limit })
  const { total, requests: entries, dropped } = found
  print(flags, found, () =>
    [
      ...(entries.length ? [table(entries.map(rowOf))] : []),
      `${entries.length} of ${total} requests${dropped ? `; ${dropped} more fell out of the journal` : ''}`,
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

function why(name: string | null, reason: string | null): string {
  return [name, reason].filter((text) => text !== null).join(': ')
}

function status(text: string): string {
  if (!/^[1-5](\d\d|xx)$/.test(text))
    throw new InvalidArgumentError('It is a status as 422, or a class of them as 4xx.')
  return text
}
