import type { CoverageReport } from './Coverage.ts'

/** Coverage for people, and for the summaries of CI. */
export function coverageMarkdown({ covered, total, percent, operations }: CoverageReport): string {
  const rows = operations.flatMap(({ operation, method, path, responses }) =>
    responses.map(({ status, case: name, hits }) =>
      row([hits > 0 ? '✅' : '❌', operation, `\`${method} ${path}\``, `${status}`, name ?? '', `${hits}`]),
    ),
  )
  return [
    '# Contract coverage',
    '',
    `${covered} of ${total} answers of the contract were exercised: ${percent} %.`,
    '',
    row(['', 'Operation', 'Request', 'Status', 'Case', 'Hits']),
    row(['---', '---', '---', '---:', '---', '---:']),
    ...rows,
    '',
  ].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
