import type { CoveredResponse, CoverageReport } from '../contract/shapes.ts'
import type { Section, Report, Suite } from '../report/Report.ts'

/** Renders coverage with a row per operation and a test case per response. Responses that weren't exercised are skipped tests. */
export function coverageReport(coverage: CoverageReport): Report {
  return {
    title: 'Contract coverage',
    summary: coverageLine(coverage),
    sections: [coverageTable(coverage)],
    suites: toSuites(coverage),
    data: coverage,
  }
}

/** `Coverage 83.3 %: 20 of 20 operations, 40 of 48 responses.` */
export function coverageLine({ percent, covered, total, operations }: CoverageReport): string {
  const called = operations.filter(({ responses }) => responses.some(({ hits }) => hits > 0)).length
  return `Coverage ${percent} %: ${called} of ${operations.length} operations, ${covered} of ${total} responses.`
}

/** The message if coverage is below the minimum. */
export function coverageShortfall(coverage: CoverageReport, minimum = 0): string | undefined {
  const { covered, total, percent } = coverage
  const exact = total ? (100 * covered) / total : 0
  if (exact >= minimum) return undefined
  // This is the percentage in the report, unless rounding hides the shortfall.
  return `Coverage ${percent < minimum ? percent : Math.floor(exact * 100) / 100} % is below ${minimum} %.`
}

export function coverageTable(coverage: CoverageReport): Section {
  return {
    head: ['Operation', 'Covered', 'Not covered'],
    rows: groupResponses(coverage).map(({ operation, responses }) => {
      const missing = responses.filter(({ hits }) => hits === 0)
      const covered = `${responses.length - missing.length}/${responses.length}`
      return [
        operation,
        { text: covered, mark: missing.length === 0 ? 'good' : 'bad' },
        missing.map(responseName).join(', '),
      ]
    }),
  }
}

function toSuites(coverage: CoverageReport): Suite[] {
  return groupResponses(coverage).map(({ operation, call, responses }) => ({
    name: operation,
    cases: responses.map((response) => ({
      name: responseName(response),
      ...(response.hits === 0 && { skipped: `not covered: ${call}` }),
    })),
  }))
}

function groupResponses({ authentication, operations }: CoverageReport) {
  return [
    { operation: 'authentication', call: 'any operation', responses: authentication },
    ...operations.map(({ operation, method, path, responses }) => ({
      operation,
      call: `${method} ${path}`,
      responses,
    })),
  ].filter(({ responses }) => responses.length > 0)
}

function responseName({ status, case: name }: CoveredResponse): string {
  return `${status} ${name ?? 'success'}`
}
