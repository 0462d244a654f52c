import type { Spread } from './statistics.ts'

/** `0.45 (0.43–0.47)`: median, smallest and largest ratio */
export function formatRatio({ median, min, max }: Spread): string {
  return `${formatDecimals(median)} (${formatDecimals(min)}–${formatDecimals(max)})`
}

/** Rounds to an integer with thousands separators: `12,345` */
export function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function formatDecimals(value: number): string {
  return value.toFixed(value < 0.1 ? 3 : 2)
}

/** `0.21`, `12.3`, `1,250` */
export function formatMilliseconds(value: number): string {
  if (value >= 100) return formatInteger(value)
  return value.toFixed(value < 10 ? 2 : 1)
}

/** `12.3 MB` */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 100e6 ? 1 : 0)} MB`
}

/** Renders a Markdown table with aligned columns. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(...[title, ...rows.map((row) => row[i] ?? '')].map(({ length }) => length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, i) => pad(cells[i] ?? '', widths[i] as number, i > 0)).join(' | ')} |`
  const rule = `|${widths.map((size, i) => (i > 0 ? `${'-'.repeat(size + 1)}:` : '-'.repeat(size + 2))).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

function pad(text: string, size: number, isRight: boolean): string {
  const space = ' '.repeat(size - text.length)
  return isRight ? space + text : text + space
}
