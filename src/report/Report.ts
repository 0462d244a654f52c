/** The result of a command, which `text`, `markdown`, `junit` and `json` render. */
export interface Report {
  title: string
  /** Whether all is right, in a sentence */
  verdict?: Line
  /** The result in a sentence */
  summary: string
  sections: readonly Section[]
  /** Test cases for CI systems */
  suites: readonly Suite[]
  /** The output of `--json` */
  data: unknown
}

/** A section of a report: paragraphs, a bulleted list, code, or a table. It is omitted if it is empty. */
export type Section = {
  heading?: string
  /** `report`: left out in a terminal */
  only?: 'report' | undefined
} & (
  | { lines: readonly Line[] }
  | { list: readonly Line[] }
  | { code: readonly Line[]; language?: string }
  | Table
)

export interface Table {
  head: readonly string[]
  rows: readonly (readonly Line[])[]
}

/** A string, optionally with a mark. */
export type Line = string | { text: string; mark: Mark }

/** Marks a text, with a colour in a terminal and a symbol in Markdown. */
export type Mark = 'good' | 'bad' | 'note' | 'none'

export interface Suite {
  name: string
  cases: readonly Case[]
  /** A remark on the suite */
  note?: string
}

export interface Case {
  name: string
  /** Seconds */
  time?: number
  /** The reason why there is no result */
  skipped?: string | undefined
  failure?: { message: string; text: string } | undefined
  /** A remark on a test that passed */
  note?: string | undefined
}

export function plainText(line: Line): string {
  return typeof line === 'string' ? line : line.text
}

/** The sections of a report that aren't empty. */
export function nonEmptySections({ sections }: Pick<Report, 'sections'>): Section[] {
  return sections.filter((section) => sectionItems(section).length > 0)
}

function sectionItems(section: Section): readonly unknown[] {
  if ('rows' in section) return section.rows
  if ('code' in section) return section.code
  return 'list' in section ? section.list : section.lines
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
