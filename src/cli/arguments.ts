import { InvalidArgumentError, type Command } from 'commander'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import { UserError } from '../UserError.ts'

/** Timers hold no more than 24 days. */
const longest = 86_400

const largest = 1_000_000_000

export const port = numeric('A port is a whole number from 0 (any free port) to 65535.', {
  most: 65_535,
  isWhole: true,
})
export const atLeastOne = numeric(`It must be a whole number from 1 to ${largest}.`, {
  most: largest,
  isWhole: true,
  isAboveZero: true,
})
export const count = numeric(`It must be a whole number from 0 to ${largest}.`, {
  most: largest,
  isWhole: true,
})
export const seconds = numeric(`It must be a number of seconds, more than 0 and no more than ${longest}.`, {
  most: longest,
  isAboveZero: true,
})
export const secondsOrNone = numeric(`It must be a number of seconds from 0 to ${longest}.`, {
  most: longest,
})
export const percent = numeric('It must be a number from 0 to 100.', { most: 100 })
export const probability = numeric('It must be a number from 0 to 1.', { most: 1 })

/** An account's login. Empty, as from an unset variable of a shell, it would mean something else, or nothing. */
export function login(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

const flagsOfAllActions = ['url', 'adminToken', 'json', 'account']

/** Refuses the filters of other actions: ignored, they would make an action concern more than was meant. @throws UserError */
export function takeNoFilters(command: Command, action: string): void {
  const given = command.options.find(
    (option) =>
      command.getOptionValueSource(option.attributeName()) === 'cli' &&
      !flagsOfAllActions.includes(option.attributeName()),
  )
  if (given)
    throw new UserError(
      `\`proxysim ${command.name()} ${action}\` takes no ${given.long}; --account is its only filter.`,
    )
}

/** For repeatable flags. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

/** The same, but each value can be a comma-separated list, as in environment variables. */
export function collectListed(text: string, before: readonly string[] = []): string[] {
  const items = text.split(',').map((item) => item.trim())
  return [...before, ...items.filter((item) => item !== '')]
}

/** Parses `--assume productSort=desc,geo=object`. The simulator checks the names. */
export function assume(text: string, before: Readings = {}): Readings {
  const pairs = text.split(',').map((pair) => {
    const [, id, value] = /^(\w+)=(.+)$/.exec(pair.trim()) ?? []
    if (id === undefined || value === undefined)
      throw new InvalidArgumentError('Give an assumption and its reading, such as productSort=desc.')
    return [id, id === 'updateListInterval' && /^\d+$/.test(value) ? Number(value) : value] as const
  })
  return { ...before, ...Object.fromEntries(pairs) }
}

/** @returns a parser that refuses other texts with these words */
function numeric(
  words: string,
  { most, isWhole = false, isAboveZero = false }: { most: number; isWhole?: boolean; isAboveZero?: boolean },
): (text: string) => number {
  const digits = isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/
  return (text) => {
    const value = digits.test(text) ? Number(text) : NaN
    if (!(value <= most) || (isAboveZero && value === 0)) throw new InvalidArgumentError(words)
    return value
  }
}
