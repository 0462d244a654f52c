import { Option, type Command } from 'commander'
import type { Timeline } from '../../contract/shapes.ts'
import type { ScheduledChange } from '../../client/SimulatorHandle.ts'
import { pickDefined } from '../../lib/json.ts'
import { table } from '../../report/text.ts'
import { transitions, transitionFlags } from '../../service/index.ts'
import { parsePositive, parseDuration, jsonParser } from '../flags.ts'
import { UserError } from '../../lib/UserError.ts'
import { addAction, remoteAction, addRemovals, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim timeline
  proxysim timeline --past
  proxysim timeline add --after PT10S --activate 5003
  proxysim timeline add --after PT10S --patch '{"services":{"5001":{"status":"Suspended"}}}'
  proxysim timeline add --after P1D --every P1D --times 30 --add '{"services":{"5101":{"usage":120}}}'
  proxysim timeline remove 3`

/** The fields of an entry that flags set. */
const entryFields = ['after', 'at', 'patch', 'every', 'times', 'description', ...transitions]

const patchJson = jsonParser('{"credit": 5}')

export function timeline(command: Command): void {
  withAccountFlags(command).addHelpText('after', examples)
  addAction(command, 'list', 'show scheduled changes, soonest first, and skipped ones')
    .option('--past', 'show the last 100 changes that have come due, oldest first')
    .action(
      remoteAction<RemoteFlags & { past?: boolean }>(async ({ account, plane }, { account: login, past }) => {
        if (!past) {
          const found = await account.timeline()
          return [found, () => renderTimeline(found)]
        }
        const query = { account: login, past: 'true' }
        const { past: { last } = { last: [] } } = await plane.json<Timeline>('GET', '/timeline', { query })
        return [last, () => renderPast(last)]
      }),
    )
  const add = addAction(
    command,
    'add',
    'schedule a change; pass --after or --at, and one of --patch, --add, --activate, --pay and --renew',
  )
    .option(
      '--after <duration>',
      "delay from now, on the account's clock (10s, 1h, or ISO 8601)",
      parseDuration,
    )
    .addOption(new Option('--at <instant>', 'due time (ISO 8601 with a time zone)').conflicts('after'))
    .option('--patch <json>', 'the change, as a JSON Merge Patch', patchJson)
  for (const { flag, description } of transitionFlags)
    add.option(flag, description, flag.endsWith('<json>') ? patchJson : parsePositive)
  add
    .option('--every <duration>', 'repeat it at this interval (needs --times)', parseDuration)
    .option('--times <n>', 'total number of times', parsePositive)
    .option('--description <text>', 'description shown in events and lists')
    .action(
      remoteAction<RemoteFlags & Record<string, unknown>>(async ({ sim, login }, flags) => {
        if (flags['after'] === undefined && flags['at'] === undefined)
          throw new UserError('An entry needs a time.', { advice: 'Add --after DURATION, or --at INSTANT.' })
        const entry = pickDefined(Object.fromEntries(entryFields.map((name) => [name, flags[name]])))
        const name = await login()
        const added = await sim.account(name).schedule(entry as unknown as ScheduledChange)
        return [added, `Added entry ${added.id} for ${name}, due ${added.at}.`]
      }),
    )
  addRemovals(command, {
    singular: 'entry',
    plural: 'entries',
    remove: (account, id) => account.unschedule(id),
    clear: (account) => account.clearTimeline(),
  })
}

function renderTimeline({ timeline: due, skipped }: Timeline): string {
  const rows = due.map((entry) => [
    String(entry.id),
    entry.at,
    describeChange(entry),
    entry.description ?? '',
  ])
  return [
    rows.length ? table([['id', 'due', 'change', 'description'], ...rows]) : 'No scheduled changes.',
    ...skipped.map(({ id, at, reason }) => `Skipped entry ${id} ${at}: ${reason}`),
  ].join('\n')
}

function renderPast(events: NonNullable<Timeline['past']>['last']): string {
  if (events.length === 0) return 'No change has come due yet.'
  const rows = events.map(({ id, at, description = '', reason, effect }) => [
    String(id),
    at,
    [description, reason && `skipped: ${reason}`, effect].filter(Boolean).join(', '),
  ])
  return table([['id', 'was due', 'change'], ...rows])
}

/** The effect of an entry: a patch, or `pay 9001`. */
function describeChange({ patch, ...entry }: Timeline['timeline'][number]): string {
  if (patch) return JSON.stringify(patch)
  const name = transitions.find((one) => entry[one] !== undefined)
  return `${name} ${JSON.stringify(name && entry[name])}`
}
