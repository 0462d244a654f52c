import { Option, type Command } from 'commander'
import { print } from '../print.ts'
import { createRemote, scopeOf, withAccountFlags, type AccountFlags } from '../remote.ts'

const examples = `
Examples:
  proxysim clock                                  the current time
  proxysim clock --advance PT1H                   one hour forward
  proxysim clock --set 2030-02-01T00:00:00Z --freeze`

interface Flags extends AccountFlags {
  set?: string
  advance?: string
  freeze?: boolean
  resume?: boolean
}

export function clock(command: Command): Command {
  return withAccountFlags(
    command
      .option('--set <instant>', 'set the time (ISO 8601 with a time zone)')
      .addOption(
        new Option('--advance <duration>', 'move the clock forward by an ISO 8601 duration').conflicts('set'),
      )
      .option('--freeze', 'stop the clock')
      .addOption(new Option('--resume', 'let the clock run again').conflicts('freeze')),
  )
    .addHelpText('after', examples)
    .action(async (flags: Flags) => {
      const { clock: world } = (await createRemote(flags)).sim
      const scope = scopeOf(flags)
      // Freeze first, so that the clock shows exactly the time that was set.
      if (flags.freeze) await world.freeze(scope)
      if (flags.set !== undefined) await world.set(flags.set, scope)
      if (flags.advance !== undefined) await world.advance(flags.advance, scope)
      if (flags.resume) await world.resume(scope)
      const reading = await world.read(scope)
      print(flags, reading, `${reading.now}${reading.frozen ? ', frozen' : ''}`)
    })
}
