import type { Command } from 'commander'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import { logLevels, type SimulatorOptions } from '../SimulatorOptions.ts'
import { defined } from '../defined.ts'
import { assume, count } from './arguments.ts'
import { settable, withOptions } from './variables.ts'

export function withStartFlags(command: Command): Command {
  return withOptions(command, [
    settable(
      '--scenario <name|file>',
      'the scenario to start from: a name (see `proxysim scenarios`) or a file',
    ),
    settable('--scenarios <dir>', 'a folder with scenarios of your own'),
    settable('--contract <file>', 'an OpenAPI file to use instead of the bundled one'),
    settable(
      '--no-explain',
      'leave out Sim-Case and Sim-Reason, the headers that say why a request was refused',
    ),
    settable(
      '--assume <id=reading>',
      'use another reading of what the documentation leaves open, in every scenario (repeatable)',
    ).argParser(assume),
    settable('--journal <n>', 'how many requests to keep in the journal').argParser(count).default(1000),
    settable('--log-level <level>', 'what to log to standard error; info adds a line for each request')
      .choices(logLevels)
      .default('warn'),
  ])
}

/** These flags, as parsed by commander. */
export type StartFlags = Pick<
  SimulatorOptions,
  'scenario' | 'scenarios' | 'contract' | 'explain' | 'journal' | 'logLevel'
> & { assume?: Readings }

/** The simulator's options from these flags, without other flags. */
export function startOptions(flags: StartFlags): SimulatorOptions {
  const { scenario, scenarios, contract, explain, assume: assumptions, journal, logLevel } = flags
  return defined({ scenario, scenarios, contract, explain, assumptions, journal, logLevel })
}
