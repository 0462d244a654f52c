import { Option, type Command } from 'commander'
import type { Timeline } from '../../contract/shapes.ts'
import type { ControlPlane } from '../../client/ControlPlane.ts'
import type { AccountControls } from '../../client/SimulatorHandle.ts'
import { pickDefined } from '../../lib/json.ts'
import { counted } from '../../lib/text.ts'
import { renewalAdvice } from '../../service/index.ts'
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
          const meanwhile = by === undefined ? undefined : await advance(account, plane, login, by)
          // One call, so that either all settings apply or none.
          if (Object.keys(setting).length > 0)
            await plane.json('PUT', '/clock', { query: { account: login }, body: setting })
          const reading = await account.clock.read()
          const rateText = (reading.rate ?? 1) === 1 ? '' : `, rate ${reading.rate}`
          const time = `${reading.now}${reading.frozen ? ', frozen' : rateText}`
          const { count = 0, advice = '' } = meanwhile ?? {}
          const changes = count > 0 ? `${counted(count, 'change')}. See proxysim timeline --past` : ''
          return [
            { ...reading, ...(meanwhile && { meanwhile: { count } }) },
            [time, changes, advice].filter(Boolean).join('\n'),
          ]
        },
      ),
    )
}

/** Advances the clock. @returns the number of changes that fell due, and how to switch on renewals if they are missing */
async function advance(
  account: AccountControls,
  plane: ControlPlane,
  login: string | undefined,
  by: string,
): Promise<{ count: number; advice?: string | undefined }> {
  const query = { account: login, past: 'true' }
  const countPast = async (): Promise<number> =>
    (await plane.json<Timeline>('GET', '/timeline', { query })).past?.count ?? 0
  const [before, { now }] = [await countPast(), await account.clock.read()]
  const advanced = await account.clock.advance(by)
  const advice = renewalAdvice(await account.state(), now, advanced.now)
  return { count: (await countPast()) - before, advice }
}
