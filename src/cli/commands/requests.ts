import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JournalEntry, JournalPage } from '../../admin/shapes.ts'
import type { ControlPlane } from '../../client/ControlPlane.ts'
import { SimulatorError } from '../../client/SimulatorError.ts'
import { counted } from '../../lib/text.ts'
import { fits } from '../../journal/shownCase.ts'
import { json } from '../../report/Report.ts'
import { table } from '../../report/text.ts'
import { write } from '../files.ts'
import { count, takeNoFlags } from '../flags.ts'
import { print, printResult, say } from '../output.ts'
import { connect, withAccountFlags, type RemoteFlags } from '../remote.ts'
import { untilSignal } from '../untilSignal.ts'

const examples = `
Examples:
  proxysim requests --operation orderService --status 4xx
  proxysim requests --limit 1 --json
  proxysim requests --follow --status 4xx
  proxysim requests --output journal.har
  proxysim requests clear`

interface Flags extends RemoteFlags {
  operation?: string
  status?: string
  case?: string
  limit: number
  follow?: boolean
  output?: string
}

export function requests(command: Command): Command {
  command.addArgument(new Argument('[action]', 'what to do').choices(['list', 'clear']).default('list'))
  return withAccountFlags(command)
    .option('--operation <id>', 'only requests of this operation')
    .option('--status <n>', 'only responses with this status, or a class of them: 4xx', status)
    .option('--case <name>', 'only responses with this case')
    .option('--limit <n>', 'show the newest n requests', count, 20)
    .addOption(
      new Option('--follow', 'print each new request as it comes, until Ctrl-C').conflicts([
        'limit',
        'output',
      ]),
    )
    .option('--output <file>', 'write the requests to a file as HAR 1.2')
    .addHelpText('after', examples)
    .action(run)
}

function status(text: string): string {
  if (!/^[1-5](\d\d|xx)$/.test(text))
    throw new InvalidArgumentError('a status such as 422, or a class such as 4xx')
  return text
}

async function run(action: string, flags: Flags, command: Command): Promise<void> {
  const plane = await connect(flags)
  const { operation, status: wanted, case: name, account, limit, output } = flags
  if (action === 'clear') {
    takeNoFlags(command, action)
    await plane.json('DELETE', '/requests', { query: { account } })
    const cleared = account === undefined ? 'the journal' : `the requests of ${account}`
    return printResult(flags, { total: 0 }, `Cleared ${cleared}.`)
  }
  const filter = { operation, status: wanted, case: name, account }
  if (flags.follow) return follow(plane, filter, flags)
  if (output !== undefined) {
    // A file gets all requests, unless there is an explicit limit.
    const isLimited = command.getOptionValueSource('limit') !== 'default'
    const query = { ...filter, ...(isLimited && { limit }) }
    await write(output, json(await plane.json('GET', '/requests.har', { query })))
    return printResult(flags, { output }, `Wrote ${output}.`)
  }
  const found = await plane.json<JournalPage>('GET', '/requests', { query: { ...filter, limit } })
  const { total, requests: entries, dropped } = found
  printResult(flags, found, () =>
    [
      ...(entries.length ? [table(entries.map(rowOf))] : []),
      `${entries.length} of ${counted(total, 'request')}${dropped ? `; the journal dropped ${dropped} older ones` : ''}`,
    ].join('\n'),
  )
}

/** Milliseconds between attempts to reconnect */
const pause = 500

/**
 * Prints each request as it comes, until a signal or until nobody reads. If the simulator stops, waits for it to come back.
 * @throws UserError if there is none at the start, or it refuses
 */
async function follow(
  plane: ControlPlane,
  filter: { account: string | undefined; operation: string | undefined; status: string | undefined },
  flags: Flags,
): Promise<void> {
  await plane.json('GET', '/requests', { query: { ...filter, limit: 1 } }) // reports invalid names right away
  const ending = new AbortController()
  const { signal } = ending
  void untilSignal().then(() => ending.abort())
  process.stdout.once('error', () => ending.abort()) // nobody reads any more
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      for await (const { type, data } of plane.events({ account: filter.account }, signal)) {
        if (type === 'connected' && !isFirst) say('The simulator is back.')
        if (type !== 'request' || !fits(filter, data as JournalEntry)) continue
        print(flags.json ? JSON.stringify(data) : line(data as JournalEntry))
      }
      if (!signal.aborted) say(`The simulator at ${plane.url} has stopped. Waiting for it to start again …`)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof SimulatorError) throw error
    }
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

function rowOf(entry: JournalEntry): string[] {
  const { id, time, method, path, status: sent, operation, case: name, reason } = entry
  const why = [name, reason].filter((text) => text !== null).join(': ')
  return [`#${id}`, time, String(sent ?? 'lost'), operation ?? '-', `${method} ${path}`, why]
}

/** A single row, with fixed column widths. */
function line(entry: JournalEntry): string {
  const widths = [4, 24, 3, 12]
  return table([rowOf(entry).map((cell, i) => cell.padEnd(widths[i] ?? 0))])
}
