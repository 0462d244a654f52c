import { junit } from '../../junit.ts'
import type { Calibration } from '../Calibration.ts'
import { numbers, readingText } from './markdown.ts'

/** A calibration as JUnit XML: contradictions, drift and differences fail; undecided assumptions are skipped. */
export function calibrationJunit({ assumptions, drift, behaviour }: Calibration): string {
  return junit('calibration', [
    {
      name: 'assumptions',
      cases: assumptions.map((one) => ({
        name: one.id,
        ...(one.verdict === 'contradicts'
          ? failure(`no reading agrees: ${numbers(one.evidence)}`)
          : one.verdict === 'undecided'
            ? { skipped: `needs ${one.needs.map(({ call }) => call).join(' or ')}` }
            : { output: `${one.verdict}: ${readingText(one)} (${numbers(one.evidence)})` }),
      })),
    },
    {
      name: 'drift',
      cases: drift.map(({ operation, status, message, exchanges }) => ({
        name: `${operation} ${status}: ${message}`,
        ...failure(`${message} (${numbers(exchanges)})`),
      })),
    },
    {
      name: 'behaviour',
      cases: [
        {
          name: `${behaviour.same} the same, ${behaviour.undecidable} undecidable, ${behaviour.firstSight} first sights`,
        },
        ...behaviour.differences.map(({ exchange, operation, parts }) => ({
          name: `#${exchange} ${operation}`,
          ...failure(
            parts
              .map(
                ({ path, real, ours }) =>
                  `${path}: the real service ${String(real)}, the simulator ${String(ours)}`,
              )
              .join('; '),
          ),
        })),
      ],
    },
  ])
}

function failure(message: string): { failure: { message: string; text: string } } {
  return { failure: { message, text: '' } }
}
