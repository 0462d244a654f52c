import type { Spread } from './statistics.ts'

/** `0.45 (0.43–0.47)`: a ratio with its smallest and largest. */
export function ratio({ median, min, max }: Spread): string {
  return `${decimals(median)} (${decimals(min)}–${decimals(max)})`
}

/** With thousands apart: `12,345`. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function decimals(value: number): string {
  return value.toFixed(value < 0.1 ? 3 : 2)
}

/** Milliseconds: `0.21`, `12.3`, `1,250`. */
export function milliseconds(value: number): string {
  if (value >= 100) return whole(value)
  return value.toFixed(value < 10 ? 2 : 1)
}

/** `12.3 MB` */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 100e6 ? 1 : 0)} MB`
}

/** A Markdown table whose columns line up as text too. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(...[title, ...rows.map((row) => row[i] ?? '')].map(({ length }) => length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, i) => pad(cells[i] ?? '', widths[i] as number, i > 0)).join(' | ')} |`
  const rule = `|${widths.map((size, i) => (i > 0 ? `${'-'.repeat(size + 1)}:` : '-'.repeat(size + 2))).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

function pad(text: string, size: number, right: boolean): string {
  const space = ' '.repeat(size - text.length)
  return right ? space + text : text + space
}
