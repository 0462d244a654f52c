import { InvalidArgumentError, type Command } from 'commander'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import { UserError } from '../UserError.ts'

/** A TCP port; 0 picks a free one. */
export function port(text: string): number {
  return wholeNumber(text, 65_535, 'A port is a whole number from 0 (any free port) to 65535.')
}

/** A count: 0 or more */
export function count(text: string): number {
  return wholeNumber(text, 1_000_000_000, 'It must be a whole number, 0 or more.')
}

/** 1 or more */
export function atLeastOne(text: string): number {
  const value = count(text)
  if (value === 0) throw new InvalidArgumentError('It must be a whole number, 1 or more.')
  return value
}

/** Timers hold no more than 24 days. */
const longest = 86_400

/** More than 0, and no more than a day */
export function seconds(text: string): number {
  const otherwise = `It must be a number of seconds, more than 0 and no more than ${longest}.`
  const value = number(text, longest, otherwise)
  if (value === 0) throw new InvalidArgumentError(otherwise)
  return value
}

/** The same, or 0 */
export function secondsOrNone(text: string): number {
  return number(text, longest, `It must be a number of seconds from 0 to ${longest}.`)
}

/** 0 to 100 */
export function percent(text: string): number {
  return number(text, 100, 'It must be a number from 0 to 100.')
}

/** 0 to 1 */
export function probability(text: string): number {
  return number(text, 1, 'It must be a number from 0 to 1.')
}

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

function wholeNumber(text: string, most: number, otherwise: string): number {
  if (!/^\d+$/.test(text) || Number(text) > most) throw new InvalidArgumentError(otherwise)
  return Number(text)
}

function number(text: string, most: number, otherwise: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > most) throw new InvalidArgumentError(otherwise)
  return Number(text)
}
