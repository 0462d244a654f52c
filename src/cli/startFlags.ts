import { Option, type Command } from 'commander'
import type { LocalOptions, SimulatorOptions } from '../SimulatorOptions.ts'
import { count } from './arguments.ts'

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** The flags of everything that starts a simulator. */
export function withStartFlags(command: Command): Command {
  return command
    .option('--scenario <name|file>', 'what to start from: a scenario (`proxysim scenarios`), or a file')
    .option('--scenarios <dir>', 'a folder with scenarios of your own')
    .option('--contract <file>', 'another OpenAPI file than the shipped one')
    .option('--no-explain', 'leave out Sim-Case and Sim-Reason, the headers that say why')
    .option('--journal <n>', 'how many requests the journal keeps', count, 1000)
    .addOption(
      new Option('--log-level <level>', 'what to log on standard error').choices(logLevels).default('warn'),
    )
}

/** Those flags, as commander reads them. */
export type StartFlags = Pick<
  SimulatorOptions,
  'scenario' | 'scenarios' | 'contract' | 'explain' | 'journal' | 'logLevel'
>

/** The options that those flags say, without whatever other flags stand beside them. */
export function startOptions(flags: StartFlags): LocalOptions {
  const { scenario, scenarios, contract, explain, journal, logLevel } = flags
  const given = { scenario, scenarios, contract, explain, journal, logLevel }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
