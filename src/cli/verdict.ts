import type { CoverageReport, Finding, JournalEntry } from '../admin/shapes.ts'
import { coverageSummary } from '../journal/Coverage.ts'
import { painter } from './paint.ts'
import { table } from './table.ts'

/** `coverage 83.3 % (operations 20/20 · answers 40/48)` */
export function coverageLine(report: CoverageReport): string {
  return `coverage ${report.percent} % (${coverageSummary(report)})`
}

/** What to say if coverage is too low. The report's own percentage is rounded, so it isn't compared. */
export function coverageShortfall({ covered, total }: CoverageReport, least = 0): string | undefined {
  const percent = total ? (100 * covered) / total : 0
  return percent < least ? `coverage ${Math.floor(percent * 100) / 100} % is below ${least} %` : undefined
}

/** Per operation, what was covered and what wasn't. */
export function coverageTable({ authentication, operations }: CoverageReport): string {
  const paint = painter(process.stdout)
  return table(
    [{ operation: 'authentication', responses: authentication }, ...operations].map(
      ({ operation, responses }) => {
        const missing = responses.filter(({ hits }) => hits === 0)
        const seen = responses.length - missing.length
        return [
          operation,
          `${seen}/${responses.length}`,
          missing.length
            ? `not seen: ${missing.map(({ status, case: name }) => name ?? String(status)).join(', ')}`
            : paint('green', 'all seen'),
        ]
      },
    ),
  )
}

/** The client's mistakes, each with the requests that show it. */
export function findingsText(found: readonly Finding[]): string {
  const paint = painter(process.stdout)
  if (found.length === 0) return 'findings: none'
  const colours = { high: 'red', medium: 'yellow', low: 'dim' } as const
  const lines = found.map(({ finding, severity, operation, message, requests }) => {
    return `  ${severity.padEnd(6)} ${paint(colours[severity], finding)}${operation === null ? '' : ` ${operation}`}: ${message} (${idsOf(requests)})`
  })
  return [`findings: ${found.length}`, ...lines].join('\n')
}

/** `#3, #7`: the first ones, and the number of others. */
export function idsOf(requests: Finding['requests']): string {
  const ids = requests.slice(0, 10).map(({ id }) => `#${id}`)
  return `${ids.join(', ')}${requests.length > ids.length ? ` and ${requests.length - ids.length} more` : ''}`
}

/** The latest refusals with their reasons. */
export function refusalsText(refusals: readonly JournalEntry[]): string {
  if (refusals.length === 0) return 'no request was refused'
  const paint = painter(process.stdout)
  const rows = refusals.map(({ id, method, path, status, case: name, reason }) => [
    `  #${id}`,
    `${method} ${path}`,
    paint('red', String(status ?? 'no answer')),
    [name, reason].filter((text) => text !== null).join(': '),
  ])
  return `the last refusals:\n${table(rows)}`
}
