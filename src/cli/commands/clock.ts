import { Option, type Command } from 'commander'
import type { components } from '../../contract/admin.gen.ts'
import type { ClockReading } from '../../contract/shapes.ts'
import { pickDefined } from '../../lib/json.ts'
import { counted } from '../../lib/text.ts'
import { describeUnrenewed } from '../../service/index.ts'
import { parseDuration, numberParser } from '../flags.ts'
import { remoteAction, withAccountFlags, type RemoteFlags } from '../remote.ts'

const examples = `
When the command returns, all changes that fell due have been applied. You can't set the clock back.

Examples:
  proxysim clock                                  show the current time
  proxysim clock --advance 1h                     move it one hour forward; same as PT1H
  proxysim clock --set 2030-02-01T00:00:00Z --freeze
  proxysim clock --rate 60                        run at one minute per second`

type AdvancedClock = components['schemas']['Clock']

interface Flags extends RemoteFlags {
  set?: string
  advance?: string
  freeze?: boolean
  resume?: boolean
  rate?: number
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
          const call = { account: login }
          const advanced =
            by === undefined
              ? undefined
              : await plane.json<AdvancedClock>('POST', '/clock/advance', { query: call, body: { by } })
          // One call, so that either all settings apply or none.
          const set =
            Object.keys(setting).length > 0
              ? await plane.json<ClockReading>('PUT', '/clock', { query: call, body: setting })
              : undefined
          const { now: time, frozen, rate: speed } = set ?? advanced ?? (await account.clock.read())
          const shown = `${time}${frozen ? ', frozen' : speed === 1 ? '' : `, rate ${speed}`}`
          const count = advanced?.changes ?? 0
          const changes = `${counted(count, 'change')}${count > 0 ? '. See proxysim timeline --past' : ''}`
          return [
            { now: time, frozen, rate: speed, ...(advanced && { meanwhile: { count } }) },
            [shown, ...(advanced ? [changes, describeUnrenewed(advanced.unrenewed ?? 0)] : [])]
              .filter(Boolean)
              .join('\n'),
          ]
        },
      ),
    )
}
