import { listNames, quoted } from './text.ts'

/** Maximum length of a name that is compared. Longer names aren't typos. */
const maxLength = 64

/** Names of fields that people expect, and the ones to use instead */
const synonyms: Partial<Record<string, string>> = { case: 'respond', fault: 'name', op: 'operation' }

/** The closest of the known names; undefined if none is close. A different number, as in s2 for s1, isn't a typo. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined
  const synonym = Object.hasOwn(synonyms, name) ? synonyms[name] : undefined
  if (synonym !== undefined && names.includes(synonym)) return synonym
  const close = names
    .filter((known) => Math.abs(known.length - name.length) <= maxDistance(known))
    .filter((known) => !/\d/.test(name) || withoutDigits(known) !== withoutDigits(name))
    .map((known) => ({ known, distance: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, distance: d }) => d <= maxDistance(known))
  return close.toSorted((a, b) => a.distance - b.distance)[0]?.known
}

function maxDistance(known: string): number {
  return Math.max(1, Math.floor(known.length / 3))
}

function withoutDigits(name: string): string {
  return name.replaceAll(/\d/g, '')
}

/** ` Did you mean "credit"?`, for use after a full stop; empty if no name is close. */
export function suggestion(name: string, names: readonly string[]): string {
  return didYouMean(nearest(name, names))
}

export function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
}

/** Edit distance (Levenshtein), with a transposition as one edit. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= a.length; i++) {
    const row = (rows[i] = [i])
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Infinity
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped))
    }
  }
  return at(a.length, b.length)
}

/**
 * `Unknown scenario "low-fund". Did you mean "low-funds"?`
 * @param advice used if no name is close. @default the available names
 */
export function unknownName(
  kind: string,
  name: string,
  known: readonly string[],
  advice = `Available: ${listNames(known, 40)}.`,
): string {
  return `Unknown ${kind} ${quoted(name)}.${suggestion(name, known) || ` ${advice}`}`
}
