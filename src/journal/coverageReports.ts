import { junit, type JunitSuite } from '../junit.ts'
import { markdownRow } from '../markdownTable.ts'
import type { CoveredResponse, CoverageReport } from '../admin/shapes.ts'
import { coverageSummary } from './Coverage.ts'

/** Coverage as Markdown, for people and CI summaries. */
export function coverageMarkdown(report: CoverageReport): string {
  const { percent, authentication, operations } = report
  return [
    '# Contract coverage',
    '',
    `${percent} %: ${coverageSummary(report)}.`,
    '',
    markdownRow(['', 'Operation', 'Request', 'Status', 'Case', 'Hits']),
    markdownRow(['---', '---', '---', '---:', '---', '---:']),
    ...rows('authentication', 'any operation', authentication),
    ...operations.flatMap(({ operation, method, path, responses }) =>
      rows(operation, `\`${method} ${path}\``, responses),
    ),
    '',
  ].join('\n')
}

function rows(operation: string, request: string, responses: readonly CoveredResponse[]): string[] {
  return responses.map(({ status, case: name, hits }) =>
    markdownRow([hits > 0 ? '✅' : '❌', operation, request, `${status}`, name ?? '', `${hits}`]),
  )
}

/** Coverage as JUnit XML: a suite per operation, a test per response; what wasn't exercised is skipped. */
export function coverageJunit({ authentication, operations }: CoverageReport): string {
  return junit('contract coverage', [
    ...(authentication.length ? [suite('authentication', 'any operation', authentication)] : []),
    ...operations.map(({ operation, method, path, responses }) =>
      suite(operation, `${method} ${path}`, responses),
    ),
  ])
}

function suite(name: string, call: string, responses: readonly CoveredResponse[]): JunitSuite {
  return {
    name,
    cases: responses.map(({ status, case: caseName, hits }) => ({
      name: `${status} ${caseName ?? 'success'}`,
      ...(hits === 0 && { skipped: `not exercised: ${call}` }),
    })),
  }
}
