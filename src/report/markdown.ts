import { nonEmptySections, plainText, type Line, type Mark, type Section, type Report } from './Report.ts'

/** Renders a report as Markdown, for people and CI summaries. */
export function markdown(report: Report): string {
  const sections = nonEmptySections(report).flatMap((section) => [
    ...(section.heading === undefined ? [] : [`## ${section.heading}`]),
    sectionMarkdown(section),
  ])
  const verdict = report.verdict === undefined ? [] : [withSymbol(report.verdict)]
  return `${[`# ${report.title}`, ...verdict, report.summary, ...sections].join('\n\n')}\n`
}

const marks: Record<Mark, string> = { good: '✅', bad: '❌', note: '🔁', none: '➖' }

function sectionMarkdown(section: Section): string {
  if ('head' in section)
    return markdownTable(
      section.head,
      section.rows.map((row) => row.map(withSymbol)),
    )
  if ('code' in section) return fenced(section.code.map(plainText), section.language)
  if ('list' in section) return section.list.map((line) => `- ${withSymbol(line)}`).join('\n')
  return section.lines.map(withSymbol).join('\n')
}

function withSymbol(line: Line): string {
  return typeof line === 'string' ? line : `${marks[line.mark]} ${plainText(line)}`
}

/** Renders a Markdown table with escaped cells. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/[\\|]/g, '\\$&').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [head, head.map(() => '---'), ...rows].map(row).join('\n')
}

/** Renders a code block whose fence is longer than any in its lines. */
function fenced(lines: readonly string[], language = 'text'): string {
  const runs = lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(Math.max(2, ...runs) + 1)
  return [`${fence}${language}`, ...lines, fence].join('\n')
}
