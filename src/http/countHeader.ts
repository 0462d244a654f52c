/** How often a header was sent: Node joins or drops duplicates. `rawHeaders` alternates names and values. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string
    if (raw.length === name.length && raw.toLowerCase() === name) count++
  }
  return count
}
