import { it, expect } from 'vitest'
import * as fc from 'fast-check'
import { calibrate } from '../../src/calibration/calibrate.ts'
import { readRecordings } from '../../src/calibration/readRecordings.ts'
import { loadContract } from '../../src/contract/loadContract.ts'
import { NaiveService } from './support/NaiveService.ts'
import { randomCalls, randomReadings, tourOf } from './support/randomTour.ts'
import { harEntry } from './support/Tape.ts'
import { writeFileSync } from 'node:fs'
const contract = await loadContract()
type Entry = any
function unanswered(entry: Entry): Entry {
  return { ...entry, response: { status: 0, headers: [], content: { size: 0 } } }
}
function withoutResponseBody({ response, ...entry }: Entry): Entry {
  return { ...entry, response: { ...response, content: { size: -1 }, bodySize: -1 } }
}
function withoutRequestBody({ request, ...entry }: Entry): Entry {
  const { postData: _, ...others } = request
  return { ...entry, request: others }
}
const losses = [unanswered, withoutResponseBody, withoutRequestBody]
it('x', { timeout: 600000 }, async () => {
  const lossy = fc.array(fc.constantFrom(...losses, undefined, undefined), { minLength: 60, maxLength: 60 })
  let shown = ''
  const isLossless = process.env['LOSSLESS'] !== undefined
  const result = await fc.check(
    fc.asyncProperty(randomReadings, randomCalls, lossy, async (readings, calls, how) => {
      const { taped } = tourOf(new NaiveService(readings), calls)
      const entries = taped.map((one, i) =>
        isLossless ? harEntry(one) : (how[i]?.(harEntry(one)) ?? harEntry(one)),
      )
      if (!isLossless && entries.every((_, i) => how[i] !== undefined)) return
      writeFileSync('/tmp/x.har', JSON.stringify({ log: { entries } }))
      const { drift, behaviour, assumptions } = (
        await calibrate(await readRecordings(['/tmp/x.har'], contract), contract)
      ).calibration
      const told = assumptions.filter(({ id, verdict }) => id in readings && verdict !== 'undecided')
      const wrong = told.filter(({ id, reading }) => reading !== (readings as any)[id])
      if (drift.length + behaviour.differences.length + wrong.length > 0) {
        shown =
          taped
            .map(
              (t, i) =>
                `${i + 1} ${how[i]?.name ?? ''} ${t.request.method} ${t.request.path} ${t.request.body ?? ''} -> ${t.answer.status} ${t.answer.body}`,
            )
            .join('\n') + JSON.stringify({ drift, d: behaviour.differences, wrong }, null, 1)
        throw new Error('wrong')
      }
    }),
    {
      numRuns: Number(process.env['PROXYSIM_RUNS'] ?? 100),
      ...((process.env['SEED'] && { seed: Number(process.env['SEED']), path: process.env['FCPATH'] }) as any),
    },
  )
  console.log(
    result.failed,
    result.seed,
    result.counterexamplePath,
    result.numRuns,
    JSON.stringify(result.counterexample?.[0]),
    '\n' + shown,
  )
})
