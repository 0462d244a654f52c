import { Option, type Command } from 'commander'
import type { Timeline } from '../../contract/shapes.ts'
import { pickDefined } from '../../lib/json.ts'
import { counted } from '../../lib/text.ts'
import { countChanges, countKinds } from '../../service/index.ts'
import { parseDuration, numberParser } from '../flags.ts'
import { remoteAction, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
When the command returns, all changes that fell due have been applied. You can't set the clock back.

Examples:
  proxysim clock                                  show the current time
  proxysim clock --advance 1h                     move it one hour forward; same as PT1H
  proxysim clock --set 2030-02-01T00:00:00Z --freeze
  proxysim clock --rate 60                        run at one minute per second`

interface Flags extends RemoteFlags {
  set?: string
  advance?: string
  freeze?: boolean
  resume?: boolean
  rate?: number
}

/** The changes that came due in between. */
interface Past {
  count: number
  /** The latest ones: an account keeps 100 */
  last: NonNullable<Timeline['past']>['last']
}

function getPast(before: Timeline['past'], after: Timeline['past']): Past {
  const count = Math.max(0, (after?.count ?? 0) - (before?.count ?? 0))
  return { count, last: count === 0 ? [] : (after?.last.slice(-count) ?? []) }
}

/** Describes what came due in between: `20 changes: 12 renewals, 8 payments`. */
function describePast({ count, last }: Past): string[] {
  if (count === 0) return []
  const scope = last.length < count ? `. The last ${last.length} are` : ':'
  return [`${counted(count, 'change')}${scope} ${countChanges(last)}. See proxysim timeline --past`]
}

/** @returns `counted`: how many of the changes, the latest ones, are in `kinds` */
function toJson({ count, last }: Past): { count: number; counted: number; kinds: Record<string, number> } {
  const kinds = [...countKinds(last)].map(([kind, number]) => [kind.replaceAll(/^"|"$/g, ''), number])
  return { count, counted: last.length, kinds: Object.fromEntries(kinds) as Record<string, number> }
}

export function clock(command: Command): Command {
  return withAccountFlags(command)
    .option('--set <instant>', 'set the time (ISO 8601 with a time zone)')
    .addOption(
      new Option('--advance <duration>', 'move the clock forward: 10m, 3h, 2d, or an ISO 8601 duration')
        .argParser(parseDuration)
        .conflicts('set'),
    )
    .option('--freeze', 'stop the clock')
    .addOption(new Option('--resume', 'restart a frozen clock').conflicts('freeze'))
    .option('--rate <n>', 'seconds that pass on the clock per real second', numberParser(0, 100_000))
    .addHelpText('after', examples)
    .action(
      remoteAction<Flags>(
        async ({ account, plane }, { account: login, set: now, advance: by, freeze, resume, rate }) => {
          const setting = pickDefined({ now, frozen: freeze ? true : resume ? false : undefined, rate })
          // Advances before resuming, so that the advance starts from the time that a frozen clock shows.
          const past = async () =>
            by === undefined
              ? undefined
              : (await plane.json<Timeline>('GET', '/timeline', { query: { account: login, past: 'true' } }))
                  .past
          const before = await past()
          if (by !== undefined) await account.clock.advance(by)
          const after = await past()
          // One call, so that either all settings apply or none.
          if (Object.keys(setting).length > 0)
            await plane.json('PUT', '/clock', { query: { account: login }, body: setting })
          const reading = await account.clock.read()
          const rateText = (reading.rate ?? 1) === 1 ? '' : `, rate ${reading.rate}`
          const time = `${reading.now}${reading.frozen ? ', frozen' : rateText}`
          const meanwhile = getPast(before, after)
          return [
            { ...reading, ...(by !== undefined && { meanwhile: toJson(meanwhile) }) },
            [time, ...describePast(meanwhile)].join('\n'),
          ]
        },
      ),
    )
}
