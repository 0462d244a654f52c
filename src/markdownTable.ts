/** A table of Markdown. What stands in a cell stays in it. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row).join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
}
