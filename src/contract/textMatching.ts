import type { Faker } from '@faker-js/faker'

type Make = () => string

const digits = '0123456789'
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const word = `${letters}${digits}_`
const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))
const classes: Readonly<Record<string, string>> = { d: digits, w: word, s: ' ', D: letters, W: '-', S: word }

/** How often `*`, `+` and `{n,}` repeat at most, beyond their least. */
const more = 5

/**
 * A text that a pattern matches, for the patterns that contracts are made of: groups, alternatives, classes, repetition.
 * faker's own knows neither groups nor `\d`.
 * @throws Error where the pattern has more than that
 */
export function textMatching(pattern: string, faker: Faker): string {
  let at = 0
  const made = choice()()
  if (at < pattern.length || !new RegExp(pattern, 'u').test(made))
    throw new Error(`no text can be made up for the pattern ${pattern}; give the schema an example`)
  return made

  function choice(): Make {
    const branches = [sequence()]
    while (pattern[at] === '|') {
      at++
      branches.push(sequence())
    }
    return () => faker.helpers.arrayElement(branches)()
  }

  function sequence(): Make {
    const parts: Make[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') parts.push(repeated(atom()))
    return () => parts.map((make) => make()).join('')
  }

  function atom(): Make {
    const char = pattern[at++] ?? ''
    if (char === '(') {
      if (pattern.startsWith('?:', at)) at += 2
      const inner = choice()
      at++ // the closing one
      return inner
    }
    if (char === '[') return oneOf(characters())
    if (char === '\\') return oneOf(escaped())
    if (char === '.') return oneOf(word)
    return char === '^' || char === '$' ? () => '' : () => char
  }

  function repeated(make: Make): Make {
    const [quantifier] = /^(?:[?*+]|\{\d+(?:,\d*)?\})/.exec(pattern.slice(at)) ?? []
    if (quantifier === undefined) return make
    at += quantifier.length
    const { min, max } = countOf(quantifier)
    return () => faker.helpers.multiple(make, { count: { min, max } }).join('')
  }

  /** The characters of a class, from behind its opening bracket to behind the closing one. */
  function characters(): string {
    const isNot = pattern[at] === '^'
    if (isNot) at++
    let set = ''
    while (at < pattern.length && pattern[at] !== ']') {
      const from = pattern[at++] ?? ''
      if (from === '\\') set += escaped()
      else if (pattern[at] === '-' && pattern[at + 1] !== ']') {
        const to = pattern[at + 1] ?? from
        at += 2
        for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) set += String.fromCharCode(code)
      } else set += from
    }
    at++
    return isNot
      ? printable
          .split('')
          .filter((char) => !set.includes(char))
          .join('')
      : set
  }

  function escaped(): string {
    const char = pattern[at++] ?? ''
    return classes[char] ?? char
  }

  function oneOf(set: string): Make {
    return () => (set === '' ? '' : faker.helpers.arrayElement(set.split('')))
  }
}

function countOf(quantifier: string): { min: number; max: number } {
  if (quantifier === '?') return { min: 0, max: 1 }
  if (quantifier === '*') return { min: 0, max: more }
  if (quantifier === '+') return { min: 1, max: more }
  const [least = '0', most] = quantifier.slice(1, -1).split(',')
  const min = Number(least)
  return { min, max: most === undefined ? min : most === '' ? min + more : Number(most) }
}
