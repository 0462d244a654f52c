import { styleText } from 'node:util'
import { nonEmptySections, plainText, type Line, type Mark, type Section, type Report } from './Report.ts'
import { visible } from './visible.ts'

type Stream = NodeJS.WriteStream

/** Renders a report for a terminal, in colour if the stream supports it. */
export function text(
  report: Pick<Report, 'verdict' | 'sections' | 'summary'>,
  stream: Stream = process.stdout,
): string {
  const shown = nonEmptySections(report).filter(({ only }) => only !== 'report')
  const blocks = shown.map((section) => {
    const heading =
      section.heading === undefined ? '' : `${paint('bold', visible(section.heading), stream)}\n`
    return heading + sectionText(section, stream)
  })
  const verdict = report.verdict === undefined ? [] : [lineText(report.verdict, stream)]
  return [...verdict, ...blocks, visible(report.summary)].join('\n\n')
}

const colours: Record<Mark, Parameters<typeof styleText>[0]> = {
  good: 'green',
  bad: 'red',
  note: 'yellow',
  none: 'dim',
}

/** Colours a text if the stream is a terminal. NO_COLOR and FORCE_COLOR take precedence. */
export function paint(format: Parameters<typeof styleText>[0], content: string, stream: Stream): string {
  return styleText(format, content, { stream })
}

/** Renders a line. A mark colours a text up to its first line break. */
export function lineText(line: Line, stream: Stream): string {
  const shown = visible(plainText(line))
  if (typeof line === 'string') return shown
  return shown.replace(/^.*/, (first) => paint(colours[line.mark], first, stream))
}

function sectionText(section: Section, stream: Stream): string {
  if ('head' in section) return table([section.head, ...section.rows], stream)
  if ('code' in section) return section.code.map((line) => `    ${lineText(line, stream)}`).join('\n')
  if ('list' in section) return section.list.map((line) => `  ${lineText(line, stream)}`).join('\n')
  return section.lines.map((line) => lineText(line, stream)).join('\n')
}

function columnWidths(rows: readonly (readonly Line[])[]): number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [i, cell] of row.entries())
      widths[i] = Math.max(widths[i] ?? 0, visible(plainText(cell)).length)
  return widths
}

/** Renders rows in aligned columns. On a terminal, cells of the widest columns are wrapped so that the table fits. */
export function table(rows: readonly (readonly Line[])[], stream: Stream = process.stdout): string {
  const widths = limitWidths(columnWidths(rows), stream.columns || Infinity)
  return rows.flatMap((row) => rowLines(row, widths, stream)).join('\n')
}

/** Narrower columns are harder to read than a table that is too wide. */
const minWidth = 16

/** Limits the widths so that the columns fit. @param columns the terminal's width; infinite if the stream isn't a terminal */
function limitWidths(widths: readonly number[], columns: number): number[] {
  const total = (cap: number): number =>
    widths.reduce((sum, width) => sum + Math.min(width, cap), 2 * (widths.length - 1))
  let cap = Math.max(minWidth, Math.min(Math.max(...widths), columns))
  while (cap > minWidth && total(cap) > columns) cap--
  return widths.map((width) => Math.min(width, cap))
}

function rowLines(row: readonly Line[], widths: readonly number[], stream: Stream): string[] {
  const cells = row.map((cell, i) => wrapText(visible(plainText(cell)), widths[i] ?? 0))
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) =>
    row
      .map((cell, i) => {
        const line = cells[i]?.[at] ?? ''
        const shown = typeof cell === 'string' ? line : lineText({ ...cell, text: line }, stream)
        return shown + ' '.repeat(Math.max(0, (widths[i] ?? 0) - line.length))
      })
      .join('  ')
      .trimEnd(),
  )
}

/** Wraps a text to lines of at most this width, between words if possible. */
export function wrapText(content: string, width: number): string[] {
  if (content.length <= width) return [content]
  const lines = content.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)|\\S{1,${width}}`, 'g'))
  return lines?.map((line) => line.trimEnd()) ?? []
}
