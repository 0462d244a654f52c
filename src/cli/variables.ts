import { Option, type Command } from 'commander'

/** An option with an environment variable: `--in-memory` has PROXYSIM_IN_MEMORY unless another one is given. */
export function settable(flags: string, description: string, variable?: string): Option {
  const option = new Option(flags, description)
  return option.env(variable ?? `PROXYSIM_${option.name().replaceAll('-', '_').toUpperCase()}`)
}

export function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option)
  return command
}

/**
 * For options that exclude others: a flag on the command line overrides the variables of those.
 * @param excluded the names of others by that of an option
 */
export function preferFlags(command: Command, excluded: Record<string, readonly string[]>): void {
  for (const [name, others] of Object.entries(excluded))
    command.on(`option:${name}`, () => {
      for (const { envVar } of command.options.filter((option) => others.includes(option.name())))
        if (envVar !== undefined) delete process.env[envVar]
    })
}

const on = ['1', 'true', 'yes', 'on']
const off = ['0', 'false', 'no', 'off']

/** Unlike Commander, treats empty variables as unset, and parses switches as on or off. */
export function readVariables(command: Command): void {
  for (const option of command.options) {
    const name = option.envVar
    const value = name === undefined ? undefined : process.env[name]
    if (name === undefined || value === undefined) continue
    const isSwitch = !option.required && !option.optional
    if (value === '' || (isSwitch && off.includes(value.toLowerCase()))) delete process.env[name]
    else if (isSwitch && !on.includes(value.toLowerCase()))
      command.on(`optionEnv:${option.name()}`, () =>
        command.error(`error: ${name}=${value} is neither on (${on.join(', ')}) nor off (${off.join(', ')})`),
      )
  }
}
