import { Option, type Command } from 'commander'
import type { Timeline } from '../../admin/shapes.ts'
import { defined } from '../../lib/json.ts'
import { table } from '../../report/text.ts'
import { atLeastOne, json } from '../flags.ts'
import { action, remote, removals, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim timeline
  proxysim timeline add --after PT10S --patch '{"services":{"5003":{"status":"Active"}}}'
  proxysim timeline add --after P1D --every P1D --times 30 --add '{"services":{"5101":{"usage":120}}}'
  proxysim timeline remove 3`

interface Flags extends RemoteFlags {
  after?: string
  at?: string
  patch?: unknown
  add?: unknown
  every?: string
  times?: number
  description?: string
}

export function timeline(command: Command): void {
  withAccountFlags(command).addHelpText('after', examples)
  action(command, 'list', 'show what is due, soonest first, and what was skipped').action(
    remote(async (ask) => {
      const found = await ask<Timeline>('GET', '/timeline')
      return [found, () => textOf(found)]
    }),
  )
  action(command, 'add', 'add an entry: --after or --at says when, --patch or --add what happens')
    .option('--after <duration>', "when it is due, from now by the account's clock (ISO 8601: PT10S)")
    .addOption(new Option('--at <instant>', 'when it is due (ISO 8601 with a time zone)').conflicts('after'))
    .option('--patch <json>', 'the change, as a JSON Merge Patch', json)
    .addOption(new Option('--add <json>', 'the usage to add, in MB').argParser(json).conflicts('patch'))
    .option('--every <duration>', 'repeat it (needs --times)')
    .option('--times <n>', 'how often it happens', atLeastOne)
    .option('--description <text>', 'what it is, for events and lists')
    .action(
      remote<Flags>(async (ask, { after, at, patch, add, every, times, description }) => {
        const body = defined({ after, at, patch, add, every, times, description })
        const added = await ask<Timeline['timeline'][number]>('POST', '/timeline', { body })
        return [added, `Added entry ${added.id}, due ${added.at}.`]
      }),
    )
  removals(command, '/timeline', 'entry', 'entries')
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
    ...skipped.map(({ id, at, reason }) => `Skipped entry ${id} ${at}: ${reason}`),
  ].join('\n')
}
