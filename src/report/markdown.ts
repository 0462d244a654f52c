import { shownParts, textOf, type Line, type Mark, type Section, type Report } from './Report.ts'

/** A report as Markdown, for people and CI summaries. */
export function markdown(report: Report): string {
  const parts = shownParts(report).flatMap((part) => [
    ...(part.heading === undefined ? [] : [`## ${part.heading}`]),
    partMarkdown(part),
  ])
  return `${[`# ${report.title}`, report.summary, ...parts].join('\n\n')}\n`
}

const marks: Record<Mark, string> = { good: '✅', bad: '❌', note: '🔁', none: '➖' }

function partMarkdown(part: Section): string {
  if ('head' in part)
    return markdownTable(
      part.head,
      part.rows.map((row) => row.map(marked)),
    )
  if ('code' in part) return fenced(part.code, part.language)
  if ('list' in part) return part.list.map((line) => `- ${marked(line)}`).join('\n')
  return part.lines.map(marked).join('\n')
}

function marked(line: Line): string {
  return typeof line === 'string' ? line : `${marks[line.mark]} ${textOf(line)}`
}

/** A Markdown table with escaped cells. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [head, head.map(() => '---'), ...rows].map(row).join('\n')
}

/** A code block whose fence is longer than any in its lines. */
function fenced(lines: readonly string[], language = 'text'): string {
  const runs = lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(Math.max(2, ...runs) + 1)
  return [`${fence}${language}`, ...lines, fence].join('\n')
}
