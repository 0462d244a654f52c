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

export type Part =
  | { heading: string }
  | { lines: readonly Line[] }
  | { list: readonly Line[] }
  | { code: readonly string[]; language?: string }
  | Table

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

/** The same without parts that show nothing. */
export function filled(parts: readonly Part[]): Part[] {
  const isFilled = (part: Part | undefined): boolean =>
    part !== undefined && ('heading' in part || Object.values(part).some((items: unknown) => hasItems(items)))
  return parts.filter((part, i) => {
    if (!('heading' in part)) return isFilled(part)
    const next = parts[i + 1]
    return next !== undefined && !('heading' in next) && isFilled(next)
  })
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
