/** What a command found out. It fills this once; `text`, `markdown`, `junit` and `json` render it. */
export interface Report {
  title: string
  /** The outcome in a sentence */
  summary: string
  parts: readonly Part[]
  /** Test cases for CI systems */
  suites: readonly Suite[]
  /** What `--json` prints */
  data: unknown
}

/** A part without lines, items or rows isn't shown, nor is its heading. */
export type Part = { heading?: string } & (
  | { lines: readonly Line[] }
  | { list: readonly Line[] }
  | { code: readonly string[]; language?: string }
  | Table
)

export interface Table {
  head: readonly string[]
  rows: readonly (readonly Line[])[]
  /** A terminal that is too narrow gets several tables with the same first column. */
  isGrid?: boolean
}

/** A piece of text, with its meaning if it has one. */
export type Line = string | { text: string; mark: Mark }

/** A terminal shows it as a colour, Markdown as a sign. */
export type Mark = 'good' | 'bad' | 'note' | 'none'

export interface Suite {
  name: string
  cases: readonly Case[]
}

export interface Case {
  name: string
  /** Seconds */
  time?: number
  /** Why it proves nothing */
  skipped?: string | undefined
  failure?: { message: string; text: string } | undefined
}

export function textOf(line: Line): string {
  return typeof line === 'string' ? line : line.text
}

/** The parts of a report that show something. */
export function shownParts({ parts }: Pick<Report, 'parts'>): Part[] {
  return parts.filter((part) => itemsOf(part).length > 0)
}

function itemsOf(part: Part): readonly unknown[] {
  if ('rows' in part) return part.rows
  if ('code' in part) return part.code
  return 'list' in part ? part.list : part.lines
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
