import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrated, losses, type Entry } from '../support/calibration/calibrated.ts'
import { NaiveService, usualReadings, type NaiveReadings } from '../support/calibration/NaiveService.ts'
import { randomCalls, randomReadings, tourOf } from '../support/calibration/randomTour.ts'
import { harEntry } from '../support/calibration/Tape.ts'
import { fullTour } from '../support/calibration/tours.ts'

const runs = Number(process.env['PROXYSIM_RUNS'] ?? 20)
const timeout = 300_000

type Found = Awaited<ReturnType<typeof calibrated>>

/** Wrong readings, false violations and differences. */
function misjudged({ drift, behaviour, assumptions }: Found, readings: NaiveReadings): unknown[] {
  const told = assumptions.filter(({ id, verdict }) => id in readings && verdict !== 'undecided')
  const wrong = told.filter(({ id, reading }) => reading !== readings[id as keyof NaiveReadings])
  return [...drift, ...behaviour.differences, ...wrong]
}

describe('another service, whichever readings it follows,', () => {
  it('has all its readings found by a full tour', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(randomReadings, async (readings) => {
        const found = await calibrated(fullTour(new NaiveService(readings)))
        expect(misjudged(found, readings)).toEqual([])
        expect(found.behaviour).toMatchObject({ undecidable: 0, fidelity: 100 })
        const verdicts = found.assumptions.filter(({ id }) => id in readings)
        expect(
          Object.fromEntries(verdicts.map(({ id, verdict, reading }) => [id, [verdict, reading]])),
        ).toEqual(
          Object.fromEntries(
            Object.entries(readings).map(([id, reading]) => [
              id,
              [reading === usualReadings[id as keyof NaiveReadings] ? 'holds' : 'other', reading],
            ]),
          ),
        )
      }),
      { numRuns: Math.ceil(runs / 3), examples: [[usualReadings]] },
    )
  })

  it('is never misjudged from random calls, whatever a recording lacks', { timeout }, async () => {
    const loss = fc.constantFrom(...losses, undefined, undefined)
    const lossy = fc.oneof(fc.constant([]), fc.array(loss, { minLength: 60, maxLength: 60 }))
    await fc.assert(
      fc.asyncProperty(randomReadings, randomCalls, lossy, async (readings, calls, how) => {
        const { taped } = tourOf(new NaiveService(readings), calls)
        const entries = taped.map((one, i): Entry => how[i]?.(harEntry(one)) ?? harEntry(one))
        if (entries.every((_, i) => how[i] !== undefined)) return
        expect(misjudged(await calibrated(entries), readings)).toEqual([])
      }),
      { numRuns: 2 * runs },
    )
  })
})
