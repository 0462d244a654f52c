import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrateRecorded, losses, type Entry } from '../support/calibration/calibrateRecorded.ts'
import {
  NaiveService,
  defaultInterpretations,
  type NaiveInterpretations,
} from '../support/calibration/NaiveService.ts'
import {
  type Call,
  randomCalls,
  randomInterpretations,
  recordTour,
} from '../support/calibration/randomTour.ts'
import { toHarEntry } from '../support/calibration/Tape.ts'
import { recordFullTour } from '../support/calibration/tours.ts'
import { seed } from '../support/fixedSeed.ts'
import { sampled } from '../support/sampled.ts'

const runs = Number(process.env['PROXYSIM_RUNS'] ?? sampled(8))
const timeout = 900_000

type Found = Awaited<ReturnType<typeof calibrateRecorded>>

/** Wrong interpretations, false violations and differences. */
function misjudged(
  { violations, behaviour, assumptions }: Found,
  interpretations: NaiveInterpretations,
): unknown[] {
  const decided = assumptions.filter(({ id, verdict }) => id in interpretations && verdict !== 'undecided')
  const wrong = decided.filter(
    ({ id, interpretation }) => interpretation !== interpretations[id as keyof NaiveInterpretations],
  )
  return [...violations, ...behaviour.differences, ...wrong]
}

describe('a service with any interpretations', () => {
  it('gets all of them confirmed by a full tour', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(randomInterpretations, async (interpretations) => {
        const found = await calibrateRecorded(recordFullTour(new NaiveService(interpretations)))
        expect(misjudged(found, interpretations)).toEqual([])
        expect(found.behaviour).toMatchObject({ undecidable: 0, fidelity: 100 })
        const verdicts = found.assumptions.filter(({ id }) => id in interpretations)
        expect(
          Object.fromEntries(
            verdicts.map(({ id, verdict, interpretation }) => [id, [verdict, interpretation]]),
          ),
        ).toEqual(
          Object.fromEntries(
            Object.entries(interpretations).map(([id, interpretation]) => [
              id,
              [
                interpretation === defaultInterpretations[id as keyof NaiveInterpretations]
                  ? 'holds'
                  : 'other',
                interpretation,
              ],
            ]),
          ),
        )
      }),
      { numRuns: Math.ceil(runs / 3), seed, examples: [[defaultInterpretations]] },
    )
  })

  it('is never misjudged from random calls, whatever the recording lacks', { timeout }, async () => {
    // An empty response says that a service is not active.
    const emptyFirst = ['sticky/changettl/#2/1', 'services', 'clients'].map((path): [Call, 300] => [
      { method: 'GET', path },
      300,
    ])
    const loss = fc.constantFrom(...losses, undefined, undefined)
    const lossy = fc.oneof(fc.constant([]), fc.array(loss, { minLength: 60, maxLength: 60 }))
    await fc.assert(
      fc.asyncProperty(randomInterpretations, randomCalls, lossy, async (interpretations, calls, how) => {
        const { exchanges } = recordTour(new NaiveService(interpretations), calls)
        const entries = exchanges.map((one, i): Entry => how[i]?.(toHarEntry(one)) ?? toHarEntry(one))
        if (entries.every((_, i) => how[i] !== undefined)) return
        expect(misjudged(await calibrateRecorded(entries), interpretations)).toEqual([])
      }),
      { numRuns: 2 * runs, seed, examples: [[defaultInterpretations, emptyFirst, []]] },
    )
  })
})
