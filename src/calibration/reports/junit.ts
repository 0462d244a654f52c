import type { Calibration } from '../Calibration.ts'
import { numbers, readingOf } from './markdown.ts'

/** A calibration as JUnit XML: what is contradicted, drifts or differs fails; what is undecided is skipped. */
export function calibrationJunit({ assumptions, drift, behaviour }: Calibration): string {
  const suites = [
    suite(
      'assumptions',
      assumptions.map((one) => {
        const name = attributes('assumptions', one.id)
        if (one.verdict === 'contradicts') return failure(name, `no reading agrees: ${numbers(one.evidence)}`)
        if (one.verdict === 'undecided')
          return skip(name, `needs ${one.needs.map(({ call }) => call).join(' or ')}`)
        return `    <testcase ${name} time="0"><system-out>${xml(`${one.verdict}: ${readingOf(one)} (${numbers(one.evidence)})`)}</system-out></testcase>`
      }),
    ),
    suite(
      'drift',
      drift.map((one) =>
        failure(
          attributes('drift', `${one.operation} ${one.status}: ${one.message}`),
          `${one.message} (${numbers(one.exchanges)})`,
        ),
      ),
    ),
    suite('behaviour', [
      `    <testcase ${attributes('behaviour', `${behaviour.same} the same, ${behaviour.undecidable} undecidable, ${behaviour.firstSight} first sights`)} time="0"/>`,
      ...behaviour.differences.map((one) =>
        failure(
          attributes('behaviour', `#${one.exchange} ${one.operation}`),
          one.parts
            .map(
              ({ path, real, ours }) =>
                `${path}: the real service ${String(real)}, the simulator ${String(ours)}`,
            )
            .join('; '),
        ),
      ),
    ]),
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="calibration">',
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function suite(name: string, cases: readonly string[]): string {
  const count = (mark: string): number => cases.filter((one) => one.includes(mark)).length
  return [
    `  <testsuite name="${name}" tests="${cases.length}" failures="${count('<failure ')}" errors="0" skipped="${count('<skipped ')}" time="0">`,
    ...cases,
    '  </testsuite>',
  ].join('\n')
}

function attributes(suiteName: string, name: string): string {
  return `classname="${suiteName}" name="${xml(name)}"`
}

function failure(name: string, message: string): string {
  return `    <testcase ${name} time="0"><failure message="${xml(message)}"/></testcase>`
}

function skip(name: string, message: string): string {
  return `    <testcase ${name} time="0"><skipped message="${xml(message)}"/></testcase>`
}

function xml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replace(/[\u0000-\u001f]/g, '')
}
