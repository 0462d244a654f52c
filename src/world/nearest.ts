/** Longer names aren't typos. */
const longest = 64

/** The name that was probably meant. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > longest) return undefined
  const close = names
    .map((other) => ({ other, distance: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, distance: d }) => d <= Math.max(1, Math.floor(other.length / 3)))
  return close.toSorted((a, b) => a.distance - b.distance)[0]?.other
}

/** ` Did you mean "credit"?`, after a full stop, or nothing. */
export function suggestion(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
}

/** Edit distance (Levenshtein) */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (const [i, letter] of [...a].entries()) {
    const above = row
    row = [i + 1]
    for (let j = 1; j <= b.length; j++) {
      const [left, up, diagonal] = [row[j - 1], above[j], above[j - 1]] as [number, number, number]
      row.push(Math.min(left + 1, up + 1, letter === b[j - 1] ? diagonal : diagonal + 1))
    }
  }
  return row[b.length] as number
}

/** How many names a message lists. */
const mostListed = 40

/** `Unknown scenario "low-fund". Did you mean "low-funds"?` Names what is available only if nothing is close. */
export function noSuch(kind: string, name: string, known: readonly string[]): string {
  const more = known.length > mostListed ? ` and ${known.length - mostListed} more` : ''
  const listed = known.slice(0, mostListed).join(', ') || 'none'
  return `Unknown ${kind} ${JSON.stringify(name)}.${suggestion(name, known) || ` Available: ${listed}${more}.`}`
}
