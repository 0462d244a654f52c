/** A code block for Markdown, with a fence longer than any in its lines. */
export function fenced(lines: readonly string[], language = 'text'): string[] {
  const longest = Math.max(
    2,
    ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)),
  )
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...lines, fence, '']
}
