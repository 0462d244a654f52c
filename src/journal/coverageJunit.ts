import type { CoveredResponse, CoverageReport } from './Coverage.ts'

/** Coverage as JUnit XML: a suite for each operation, a test for each answer; what was not exercised is skipped. */
export function coverageJunit({ covered, total, authentication, operations }: CoverageReport): string {
  const suites = [
    ...(authentication.length ? [suite('authentication', 'any operation', authentication)] : []),
    ...operations.map(({ operation, method, path, responses }) =>
      suite(operation, `${method} ${path}`, responses),
    ),
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="contract coverage" tests="${total}" failures="0" errors="0" skipped="${total - covered}" time="0">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function suite(name: string, request: string, responses: readonly CoveredResponse[]): string {
  const missed = responses.filter(({ hits }) => hits === 0).length
  const cases = responses.map((response) => {
    const attributes = `classname="${xml(name)}" name="${xml(`${response.status} ${response.case ?? 'success'}`)}"`
    return response.hits > 0
      ? `    <testcase ${attributes} time="0"/>`
      : `    <testcase ${attributes} time="0"><skipped message="not exercised: ${xml(request)}"/></testcase>`
  })
  return [
    `  <testsuite name="${xml(name)}" tests="${responses.length}" failures="0" errors="0" skipped="${missed}" time="0">`,
    ...cases,
    '  </testsuite>',
  ].join('\n')
}

function xml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;')
    .replace(/[\u0000-\u001f]/g, '')
}
