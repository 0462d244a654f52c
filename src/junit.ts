import { escapeMarkup } from './escapeMarkup.ts'

/** A test case in a JUnit report. */
export interface JunitCase {
  name: string
  /** Seconds */
  time?: number
  /** Why it was skipped */
  skipped?: string
  /** Goes into `system-out` */
  output?: string
  failure?: { message: string; text: string }
}

export interface JunitSuite {
  name: string
  cases: readonly JunitCase[]
}

/** JUnit XML for CI systems. */
export function junit(name: string, suites: readonly JunitSuite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(name)}" ${totals(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.map(suiteXml),
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteXml({ name, cases }: JunitSuite): string {
  return [
    `  <testsuite name="${xml(name)}" ${totals(cases)}>`,
    ...cases.map((one) => caseXml(name, one)),
    '  </testsuite>',
  ].join('\n')
}

function caseXml(suite: string, { name, time = 0, skipped, output, failure }: JunitCase): string {
  const start = `    <testcase classname="${xml(suite)}" name="${xml(name)}" time="${time}"`
  if (failure)
    return `${start}><failure message="${xml(failure.message)}">${xml(failure.text)}</failure></testcase>`
  if (output !== undefined) return `${start}><system-out>${xml(output)}</system-out></testcase>`
  return skipped === undefined ? `${start}/>` : `${start}><skipped message="${xml(skipped)}"/></testcase>`
}

function totals(cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure).length
  const skipped = cases.filter(({ skipped: why }) => why !== undefined).length
  const time = cases.reduce((sum, one) => sum + (one.time ?? 0), 0)
  return `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${Math.round(time * 1000) / 1000}"`
}

function xml(text: string): string {
  return escapeMarkup(text)
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;')
    .replace(/[\u0000-\u001f]/g, '')
}
