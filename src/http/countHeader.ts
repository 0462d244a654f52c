/** How often a header came; Node joins or drops those that come again. `rawHeaders` are names and values in turn. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string
    if (raw.length === name.length && raw.toLowerCase() === name) count++
  }
  return count
}
