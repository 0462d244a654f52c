import { version } from '../../version.ts'
import type { Calibration } from '../Calibration.ts'
import { numbers } from './markdown.ts'

const rules = {
  contradiction: 'No reading of the documentation agrees with the real service.',
  'other-reading':
    'The real service follows another reading of the documentation than the simulator does by default.',
  drift: 'A response of the real service breaks the contract.',
  difference: 'The real service behaves differently from the simulator.',
} as const

type Rule = keyof typeof rules

/** A calibration as SARIF 2.1.0, for code scanning. */
export function calibrationSarif({ assumptions, drift, behaviour }: Calibration): string {
  const results = [
    ...assumptions.flatMap(({ id, verdict, reading, evidence, ...one }) =>
      verdict === 'contradicts'
        ? [result('contradiction', 'error', `${id}: no reading agrees with exchanges ${numbers(evidence)}.`)]
        : verdict === 'other'
          ? [
              result(
                'other-reading',
                'note',
                `${id} is ${reading}, not ${one.default} (${numbers(evidence)}).`,
              ),
            ]
          : [],
    ),
    ...drift.map((one) =>
      result('drift', 'error', `${one.operation} ${one.status}: ${one.message} (${numbers(one.exchanges)}).`),
    ),
    ...behaviour.differences.map((one) =>
      result(
        'difference',
        'warning',
        `${one.operation} (#${one.exchange}): ${one.parts.map(({ path, real, ours }) => `${path} is ${String(real)}, the simulator has ${String(ours)}`).join('; ')}.`,
      ),
    ),
  ]
  const sarif = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'proxysim calibrate',
            version,
            rules: Object.entries(rules).map(([id, text]) => ({ id, shortDescription: { text } })),
          },
        },
        results,
      },
    ],
  }
  return `${JSON.stringify(sarif, null, 2)}\n`
}

function result(ruleId: Rule, level: 'error' | 'warning' | 'note', text: string): object {
  return {
    ruleId,
    level,
    message: { text },
    locations: [
      { physicalLocation: { artifactLocation: { uri: 'openapi.yaml' }, region: { startLine: 1 } } },
    ],
  }
}
