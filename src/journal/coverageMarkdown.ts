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
