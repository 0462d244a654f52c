import { InvalidArgumentError, Option, type Command } from 'commander'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JournalEntry, JournalPage } from '../../admin/shapes.ts'
import { SimulatorError } from '../../client/SimulatorError.ts'
import { matches } from '../../journal/shownCase.ts'
import { counted } from '../../lib/text.ts'
import { json } from '../../report/Report.ts'
import { table } from '../../report/text.ts'
import { write } from '../files.ts'
import { count } from '../flags.ts'
import { print, say } from '../output.ts'
import { action, remote, withAccountFlags, type Remote, type RemoteFlags } from '../remote.ts'
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
  limit?: number
  follow?: boolean
  output?: string
}

export function requests(command: Command): void {
  withAccountFlags(command).addHelpText('after', examples)
  action(command, 'list', 'show requests, newest first')
    .option('--operation <id>', 'only requests of this operation')
    .option('--status <n>', 'only responses with this status, or a class of them: 4xx', status)
    .option('--case <name>', 'only responses with this case')
    .option('--limit <n>', 'only the newest n requests (default: 20, or all with --output)', count)
    .addOption(
      new Option('--follow', 'print each new request as it comes, until Ctrl-C').conflicts([
        'limit',
        'output',
      ]),
    )
    .option('--output <file>', 'write the requests to a file as HAR 1.2')
    .action(remote(show))
  action(command, 'clear', 'clear the journal').action(
    remote(async ({ ask }, { account }) => {
      await ask('DELETE', '/requests')
      const cleared = account === undefined ? 'the journal' : `the requests of ${account}`
      return [{ total: 0 }, `Cleared ${cleared}.`]
    }),
  )
}

function status(text: string): string {
  if (!/^[1-5](\d\d|xx)$/.test(text))
    throw new InvalidArgumentError('a status such as 422, or a class such as 4xx')
  return text
}

async function show(simulator: Remote, flags: Flags): Promise<[unknown, string] | undefined> {
  const { ask } = simulator
  const { limit, output } = flags
  const filter = { operation: flags.operation, status: flags.status, case: flags.case }
  if (flags.follow) {
    await follow(simulator, filter, flags)
    return undefined
  }
  if (output !== undefined) {
    await write(output, json(await ask('GET', '/requests.har', { query: { ...filter, limit } })))
    return [{ output }, `Wrote ${output}.`]
  }
  const found = await ask<JournalPage>('GET', '/requests', { query: { ...filter, limit: limit ?? 20 } })
  const { total, requests: entries, dropped } = found
  const rows = entries.length ? `${table(entries.map(rowOf))}\n` : ''
  const older = dropped ? `; the journal dropped ${dropped} older ones` : ''
  return [found, `${rows}${entries.length} of ${counted(total, 'request')}${older}`]
}

/** Milliseconds between attempts to reconnect */
const pause = 500

/**
 * Prints each request as it comes, until a signal or until nobody reads. If the simulator stops, waits for it to come back.
 * @throws UserError if there is none at the start, or it refuses
 */
async function follow(
  { ask, plane }: Remote,
  filter: { operation: string | undefined; status: string | undefined; case: string | undefined },
  { account, json: isJson }: Flags,
): Promise<void> {
  await ask('GET', '/requests', { query: { ...filter, limit: 1 } }) // reports invalid names right away
  const ending = new AbortController()
  const { signal } = ending
  void untilSignal().then(() => ending.abort())
  process.stdout.once('error', () => ending.abort()) // nobody reads any more
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      for await (const { type, data } of plane.events({ account }, signal)) {
        if (type === 'connected' && !isFirst) say('The simulator is back.')
        if (type !== 'request' || !matches(filter, data as JournalEntry)) continue
        print(isJson ? JSON.stringify(data) : line(data as JournalEntry))
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
