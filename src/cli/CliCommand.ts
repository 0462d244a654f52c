import { existsSync } from 'node:fs'
import { Argument, Command, CommanderError, type Option } from 'commander'
import { shipped } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { noSuch } from '../world/nearest.ts'

/**
 * Commander with messages of our own. The methods without `override` are those that it calls where something is wrong;
 * its types don't show them, so test/cli/usage.test.ts has each of their messages.
 */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  unknownOption(flag: string): never {
    const name = flag.split('=')[0] ?? ''
    const options = [...this.options, ...(this.#group?.options ?? [])]
    const known = options.flatMap(({ long, short }) => [long, short]).filter((one) => one != null)
    throw this.#unknown('flag', name, known, `See \`${this.#path} --help\`.`)
  }

  unknownCommand(): never {
    const name = this.args[0] ?? ''
    if (/^[\w-]+$/.test(name) && existsSync(shipped(`scenarios/${name}.yaml`)))
      throw new UserError(
        `Unknown command ${JSON.stringify(name)}. It is a scenario: proxysim --scenario ${name}`,
      )
    const known = this.commands.map((command) => command.name())
    throw this.#unknown('command', name, known, 'See `proxysim --help`.')
  }

  /** A list of all flags or commands would be too long. */
  #unknown(kind: string, name: string, known: readonly string[], otherwise: string): UserError {
    return new UserError(noSuch(kind, name, known).replace(/Available: .*$/, otherwise))
  }

  missingArgument(name: string): never {
    throw new UserError(
      name === 'command'
        ? `The command is missing. Put it after --: ${this.#path} -- npm test`
        : `The argument <${name}> is missing. See \`${this.#path} --help\`.`,
    )
  }

  optionMissingArgument({ flags, long }: Option): never {
    throw new UserError(`${long} needs a value: ${flags}`)
  }

  _excessArguments(received: readonly string[]): never {
    const first = received[this.registeredArguments.length] ?? ''
    // A group gives its default action what is no action: `faults lst`.
    if (this.#group?.args[0] === first)
      throw new UserError(
        noSuch(
          'action',
          first,
          this.#group.commands.map((command) => command.name()),
        ),
      )
    throw new UserError(`Unexpected argument ${JSON.stringify(first)}. See \`${this.#path} --help\`.`)
  }

  _conflictingOption(one: Option, other: Option): never {
    throw new UserError(`${this.#given(one)} and ${this.#given(other)} exclude each other. Use one of them.`)
  }

  /** What was given: the flag, or its variable */
  #given(option: Option): string {
    const isVariable = this.getOptionValueSource(option.attributeName()) === 'env'
    return String(isVariable ? option.envVar : option.long)
  }

  /** The parsers throw an InvalidArgumentError that only says what the value must be. */
  _callParseArg(target: Option | Argument, value: string, previous: unknown, message: string): unknown {
    try {
      return target.parseArg?.(value, previous)
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      const isFlag = !(target instanceof Argument)
      const source =
        isFlag && message.includes(' from env ') ? target.envVar : isFlag ? target.long : `<${target.name()}>`
      throw new UserError(
        target.argChoices
          ? noSuch(isFlag ? `value of ${source}` : String(source), value, target.argChoices)
          : `${source} must be ${error.message}, not ${JSON.stringify(value)}.`,
      )
    }
  }

  /** The command whose action this is: `faults` of `faults add` */
  get #group(): Command | undefined {
    return this.parent?.parent ? this.parent : undefined
  }

  get #path(): string {
    return [this.parent ? 'proxysim' : '', this.#group?.name(), this.parent ? this.name() : 'proxysim']
      .filter(Boolean)
      .join(' ')
  }
}
