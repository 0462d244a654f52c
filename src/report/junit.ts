import { escapeMarkup } from '../lib/text.ts'
import type { Case, Report, Suite } from './Report.ts'

/** Renders the test cases of a report as JUnit XML. */
export function junit({ title, suites }: Pick<Report, 'title' | 'suites'>): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeXml(title)}" ${totals(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(suiteXml),
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteXml({ name, cases, note }: Suite): string[] {
  return [
    `  <testsuite name="${escapeXml(name)}" ${totals(cases)}>`,
    ...cases.map((one) => caseXml(name, one)),
    ...(note === undefined ? [] : [`    <system-out>${escapeXml(note)}</system-out>`]),
    '  </testsuite>',
  ]
}

function caseXml(suite: string, { name, time = 0, skipped, failure, note }: Case): string {
  const start = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}" time="${time}"`
  if (failure)
    return `${start}><failure message="${escapeXml(failure.message)}">${escapeXml(failure.text)}</failure></testcase>`
  if (skipped !== undefined) return `${start}><skipped message="${escapeXml(skipped)}"/></testcase>`
  return note === undefined ? `${start}/>` : `${start}><system-out>${escapeXml(note)}</system-out></testcase>`
}

function totals(cases: readonly Case[]): string {
  const failures = cases.filter(({ failure }) => failure).length
  const skipped = cases.filter((one) => one.skipped !== undefined && !one.failure).length
  const time = cases.reduce((sum, one) => sum + (one.time ?? 0), 0)
  return `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${Math.round(time * 1000) / 1000}"`
}

/** Escapes a text. XML allows no control characters except tab and line breaks, no halves of surrogate pairs, and no U+FFFE and U+FFFF. */
function escapeXml(text: string): string {
  return escapeMarkup(text)
    .replace(/[\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;')
    .replace(/[\u0000-\u001f]/g, '')
}
