/** The names and values that alternate in a list, as in Redis' replies and Node's raw headers. */
export function pairsOf(flat: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let at = 1; at < flat.length; at += 2) pairs.push([flat[at - 1] as string, flat[at] as string])
  return pairs
}
