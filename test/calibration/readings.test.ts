import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrate } from '../../src/calibration/calibrate.ts'
import type { Calibration } from '../../src/calibration/Calibration.ts'
import { readRecordings } from '../../src/calibration/readRecordings.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { NaiveService, usualReadings, type NaiveReadings } from './support/NaiveService.ts'
import { randomCalls, randomReadings, tourOf } from './support/randomTour.ts'
import type { Tape } from './support/Tape.ts'
import { fullTour } from './support/tours.ts'

const contract = await loadContract()
const runs = Number(process.env['PROXYSIM_RUNS'] ?? 20)

async function calibrated(...tapes: Tape[]): Promise<Calibration> {
  const files = tapes.map((tape) => tape.file())
  return (await calibrate(await readRecordings(files, contract), contract)).calibration
}

function verdicts({ assumptions }: Calibration): Record<string, unknown> {
  return Object.fromEntries(assumptions.map(({ id, verdict, reading }) => [id, [verdict, reading]]))
}

/** What a full tour must find. */
function expected(readings: NaiveReadings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(readings).map(([id, reading]) => [
      id,
      [reading === usualReadings[id as keyof NaiveReadings] ? 'holds' : 'other', reading],
    ]),
  )
}

describe('another service, whichever readings it follows', () => {
  it('with the simulator’s readings is the same', async () => {
    const found = await calibrated(fullTour(new NaiveService()))
    expect(found.drift).toEqual([])
    expect(found.behaviour).toMatchObject({ differ: 0, undecidable: 0, fidelity: 100, differences: [] })
    expect(verdicts(found)).toMatchObject(expected(usualReadings))
  })

  it('has all its readings found by a full tour, without drift or difference', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(randomReadings, async (readings) => {
        const found = await calibrated(fullTour(new NaiveService(readings)))
        expect(found.behaviour.differences).toEqual([])
        expect(found.drift).toEqual([])
        expect(verdicts(found)).toMatchObject(expected(readings))
      }),
      { numRuns: Math.ceil(runs / 3) },
    )
  })

  it('is never misjudged from random calls: no wrong reading, no false drift or difference', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(randomReadings, randomCalls, async (readings, calls) => {
        const found = await calibrated(tourOf(new NaiveService(readings), calls))
        expect(found.behaviour.differences).toEqual([])
        expect(found.drift).toEqual([])
        const known = found.assumptions.filter(({ id }) => id in readings)
        expect(known.filter(({ verdict }) => verdict === 'contradicts')).toEqual([])
        const told = known.filter(({ reading }) => reading !== null)
        expect(told.map(({ id, reading }) => [id, reading])).toEqual(
          told.map(({ id }) => [id, readings[id as keyof NaiveReadings]]),
        )
      }),
      { numRuns: runs },
    )
  })
})
