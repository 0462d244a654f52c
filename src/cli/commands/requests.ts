import { InvalidArgumentError, Option, type Command } from 'commander'
import type { JournalEntry, RequestPage } from '../../contract/shapes.ts'
import type { ControlPlane } from '../../client/ControlPlane.ts'
import type { RequestFilter } from '../../client/SimulatorHandle.ts'
import { matches, type EntryFilter } from '../../journal/shownCase.ts'
import { pickDefined } from '../../lib/json.ts'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { hasNoEffect } from '../../service/index.ts'
import { json } from '../../report/Report.ts'
import { table } from '../../report/text.ts'
import { refusedCells } from '../refusedCells.ts'
import { write } from '../files.ts'
import { parseCount, parseHarFile } from '../flags.ts'
import { print } from '../output.ts'
import { addAction, remoteAction, withAccountFlags, type RemoteFlags } from '../remote.ts'
import { waitForSignal } from '../waitForSignal.ts'

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
  const followOption = new Option('--follow', 'print each new request as it arrives, until Ctrl-C')
  addAction(command, 'list', 'show requests, newest first')
    .option('--operation <id>', 'only requests of this operation')
    .option('--status <n>', 'only responses with this status, such as 422, or this class: 4xx', statusFilter)
    .option('--case <name>', 'only responses with this case')
    .option('--limit <n>', 'only the newest n requests (default: 20, or all with --output)', parseCount)
    .addOption(followOption.conflicts(['limit', 'output']))
    .option('--output <file>', 'write the requests to a file as HAR 1.2 (.har or .json)', parseHarFile)
    .action(
      remoteAction<Flags>(async ({ account, plane }, flags) => {
        const { limit, output } = flags
        const filter = { operation: flags.operation, status: flags.status, case: flags.case } as RequestFilter
        if (output !== undefined) {
          await write(output, json(await account.har(pickDefined({ ...filter, limit }))))
          return [{ output }, `Wrote ${output}.`]
        }
        const found = await account.requests({ ...filter, limit: limit ?? 20 }) // rejects invalid names right away
        if (flags.follow) return follow(plane, filter, flags)
        const { total, requests: entries, dropped, refused } = found
        const ignored = (await account.findings()).filter(({ finding }) => finding === 'unknown-field')
        const notes = entries.map(({ id }) =>
          ignored.filter(({ requests: all }) => all.some((one) => one.id === id)).map((one) => one.message),
        )
        const hasSeveral = new Set(entries.map((entry) => entry.account)).size > 1
        const rows = entries.length
          ? `${table(entries.map((entry, i) => toRow(entry, hasSeveral, notes[i])))}\n`
          : ''
        const older = dropped ? `; the journal dropped ${dropped} older ones` : ''
        return [
          found,
          `${rows}${entries.length} of ${counted(total, 'request')}${older}${renderRefused(refused)}`,
        ]
      }),
    )
  addAction(command, 'clear', 'clear the journal').action(
    remoteAction(async ({ account }, { account: login }) => {
      await account.clearRequests()
      const cleared = login === undefined ? 'the journal' : `the requests of ${login}`
      return [{ total: 0 }, `Cleared ${cleared}.`]
    }),
  )
}

function statusFilter(text: string): string {
  if (/^[1-5](?:\d\d|xx)$/.test(text)) return text
  throw new InvalidArgumentError('It must be a status such as 422, or a class such as 4xx.')
}

/**
 * Prints each request as it arrives, until a signal or until the output is closed.
 * @throws SimulatorError if the simulator refuses, UserError if it stops
 */
async function follow(
  plane: ControlPlane,
  filter: EntryFilter,
  { account, json: isJson }: Flags,
): Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  void waitForSignal().then(() => ending.abort())
  process.stdout.once('error', () => ending.abort()) // the reader closed the pipe
  try {
    for await (const { type, data } of plane.events({ account }, signal)) {
      if (type !== 'request') continue
      const entry = data as JournalEntry
      if (matches(filter, entry))
        print(
          isJson
            ? JSON.stringify(entry)
            : toRow(entry, account === undefined)
                .join('  ')
                .trimEnd(),
        )
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  if (!signal.aborted) throw new UserError(`The simulator at ${plane.url} has stopped.`)
}

/** Lists the requests that were refused before they reached the API. The journal doesn't contain them. */
function renderRefused({ count: all, last }: RequestPage['refused']): string {
  if (all === 0) return ''
  const rows = last.map((one) => [one.time, ...refusedCells(one)])
  const shown = last.length < all ? `; the last ${last.length}` : ''
  return `\n\n${counted(all, 'request')} never reached the API${shown}:\n${table(rows)}`
}

/**
 * @param hasAccount whether to show the account
 * @param notes explain the result of a request that succeeded
 */
function toRow(entry: JournalEntry, hasAccount: boolean, notes: readonly string[] = []): string[] {
  const { id, time, account, method, path, status, operation, case: name, reason, rewound } = entry
  const cause = [name, reason].filter((text) => text !== null).join(': ')
  const explanation = [cause, hasNoEffect(entry) && 'nothing changed', ...notes].filter(Boolean).join('; ')
  const shown = rewound ? `(undone by a rewind) ${explanation}` : explanation
  const accounts = hasAccount ? [account ?? '-'] : []
  return [`#${id}`, time, ...accounts, String(status ?? 'lost'), operation ?? '-', `${method} ${path}`, shown]
}
