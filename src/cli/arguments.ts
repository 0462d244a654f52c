import { InvalidArgumentError } from 'commander'

/** A TCP port; 0 stands for a free one. */
export function port(text: string): number {
  return wholeNumber(text, 65_535, 'A port is a whole number from 0 (takes a free one) to 65535.')
}

/** How many: 0 or more */
export function count(text: string): number {
  return wholeNumber(text, 1_000_000_000, 'It is a whole number, 0 or more.')
}

/** 0 to 100 */
export function percent(text: string): number {
  return number(text, 100, 'It is a number from 0 to 100.')
}

/** 0 to 1 */
export function probability(text: string): number {
  return number(text, 1, 'It is a number from 0 to 1.')
}

/** For flags that may be given several times. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

function wholeNumber(text: string, most: number, otherwise: string): number {
  if (!/^\d+$/.test(text) || Number(text) > most) throw new InvalidArgumentError(otherwise)
  return Number(text)
}

function number(text: string, most: number, otherwise: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > most) throw new InvalidArgumentError(otherwise)
  return Number(text)
}
