import { existsSync } from 'node:fs'
import {
  Argument,
  Command,
  CommanderError,
  type AddHelpTextContext,
  type AddHelpTextPosition,
  type HelpContext,
  type Option,
} from 'commander'
import { packagePath } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { wrapText } from '../report/text.ts'
import { nearest, unknownName } from '../lib/nearest.ts'

/**
 * Commander with our own messages. Commander calls the methods without `override` when it finds a mistake;
 * its types don't declare them, so test/cli/usage.test.ts covers each message.
 */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  #explanation = ''

  /** Explains the command in its help, before the flags. */
  explain(text: string): this {
    this.#explanation = text
    return this
  }

  /** The description, and the explanation wrapped to the width of the help. */
  get fullDescription(): string {
    const parts = [this.description(), wrapHelp(this.#explanation.trim(), helpWidth())]
    return parts.filter(Boolean).join('\n\n')
  }

  /** Wraps prose, and the descriptions in lists, to the width of the help. */
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    return super.addHelpText(position, (context) =>
      wrapHelp(typeof text === 'string' ? text : text(context), helpWidth()),
    )
  }

  /** Reports unknown actions in `state pach --help` and `state --help pach`. Commander would print the help of `state`. */
  override outputHelp(context?: HelpContext | ((text: string) => string)): void {
    const name = this.args.find((arg) => !/^(?:-h|--help)$/.test(arg))
    if (!this.parent || this.commands.length === 0 || name === undefined || name.startsWith('-'))
      return super.outputHelp(context as HelpContext)
    const action = this.commands.find((one) => one.name() === name)
    if (!action) throw new UserError(unknownName('action', name, listCommandNames(this)))
    action.outputHelp()
  }

  unknownOption(flag: string): never {
    this.#checkAction()
    // Without a command name, global flags such as --version are valid too.
    const isDefault = this.parent?.args[0]?.startsWith('-') === true
    const options = [...this.options, ...((isDefault ? this.parent : this.#group)?.options ?? [])]
    const known = options.flatMap(({ long, short }) => [long, short]).filter((one) => one != null)
    const name = flag.replace(/=.*/s, '')
    if (known.includes(name)) throw new UserError(`${name} takes no value.`)
    const action = this.#group && nearest(name.slice(2), listCommandNames(this.#group))
    if (action !== undefined && nearest(name, known) === undefined)
      throw new UserError(`Unknown flag ${JSON.stringify(name)}.`, {
        advice: `Did you mean the action ${JSON.stringify(action)}?`,
      })
    this.#unknown('flag', name, [...known, '--help'])
  }

  unknownCommand(): never {
    const name = this.args[0] ?? ''
    if (/^[\w-]+$/.test(name) && existsSync(packagePath(`scenarios/${name}.yaml`)))
      throw new UserError(`Unknown command ${JSON.stringify(name)}.`, {
        advice: `It is a scenario: proxysim --scenario ${name}`,
      })
    this.#unknown('command', name, listCommandNames(this))
  }

  /** Without a suggestion, refers to the help: a list of all flags or commands would be too long. */
  #unknown(kind: string, name: string, known: readonly string[]): never {
    throw new UserError(unknownName(kind, name, known, this.#seeHelp))
  }

  missingArgument(name: string): never {
    if (name === 'command')
      throw new UserError('The command is missing.', {
        advice: `Put it after --: proxysim ${this.name()} -- npm test`,
      })
    throw new UserError(`The argument <${name}> is missing.`, { advice: this.#seeHelp })
  }

  optionMissingArgument({ flags, long }: Option): never {
    throw new UserError(`${long} needs a value: ${flags}`)
  }

  _excessArguments(received: readonly string[]): never {
    const first = received[this.registeredArguments.length] ?? ''
    this.#checkAction()
    const flag = this.options.find(({ long }) => long === `--${first}`)?.long
    const advice = flag ? `Did you mean ${JSON.stringify(flag)}?` : this.#seeHelp
    throw new UserError(`Unexpected argument ${JSON.stringify(first)}.`, { advice })
  }

  /** A group passes unknown actions to its default action: `faults lst`. @throws UserError for such a name */
  #checkAction(): void {
    const [first = '-'] = this.#group?.args ?? []
    const actions = this.#group ? listCommandNames(this.#group) : []
    if (!first.startsWith('-') && !actions.includes(first))
      throw new UserError(unknownName('action', first, actions))
  }

  /** A flag on the command line overrides the environment variables of flags that it conflicts with. */
  _conflictingOption(...conflicting: [Option, Option]): void {
    const variables = conflicting.filter((one) => this.getOptionValueSource(one.attributeName()) === 'env')
    if (variables.length !== 1) {
      const names = conflicting.map((one) => (variables.includes(one) ? one.envVar : one.long))
      throw new UserError(`${names.join(' and ')} can't be combined.`, { advice: 'Use one of them.' })
    }
    for (const one of variables)
      this.setOptionValueWithSource(one.attributeName(), one.defaultValue, 'default')
  }

  /** Completes the message of a parser's InvalidArgumentError, which only says what the value must be. */
  _callParseArg(target: Option | Argument, value: string, previous: unknown, message: string): unknown {
    try {
      return target.parseArg?.(value, previous)
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      const flag = target instanceof Argument ? `<${target.name()}>` : target.long
      const source = 'envVar' in target && message.includes(' from env ') ? target.envVar : flag
      const expected = error.message.replace(/^Allowed choices are (.*)\.$/, 'one of: $1')
      throw new UserError(`${source} must be ${expected}, not ${JSON.stringify(value)}.`)
    }
  }

  /** The command that an action belongs to: `faults` for `faults add` */
  get #group(): Command | undefined {
    return this.parent?.parent ? this.parent : undefined
  }

  get #seeHelp(): string {
    const path = ['proxysim', this.#group?.name(), this.parent && this.name(), '--help'].filter(Boolean)
    return `See \`${path.join(' ')}\`.`
  }
}

/** The width of the terminal in columns, up to 120, so that lines stay readable. */
export function helpWidth(): number {
  return Math.min(process.stdout.columns || 100, 120)
}

/** Wraps paragraphs without indentation, and the descriptions in `  name   description`. Other lines are examples. */
function wrapHelp(text: string, width: number): string {
  return text
    .replace(/(?<=^\S.*)\n(?=\S)/gm, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, head = '', body = line] = /^( +\S.*? {3,})(.*)$/.exec(line) ?? []
      if (line.startsWith(' ') && head === '') return [line]
      return wrapText(body, width - head.length).map((part, i) => (i ? ' '.repeat(head.length) : head) + part)
    })
    .join('\n')
}

function listCommandNames({ commands }: Command): string[] {
  return commands.map((command) => command.name())
}
