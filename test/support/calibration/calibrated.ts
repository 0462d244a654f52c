import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { calibrate, type CalibrationResult } from '../../../src/calibration/calibrate.ts'
import { readRecordings, type Recordings } from '../../../src/calibration/readRecordings.ts'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { folder } from '../start.ts'
import type { Tape } from './Tape.ts'

const contract = await loadContract()

// Entries are altered freely, as recorders and networks alter them.
// oxlint-disable-next-line typescript/no-explicit-any
export type Entry = any

/** Changes parts of an entry; undefined removes a part. */
export function changed(entry: Entry, changes: Entry): Entry {
  if (changes === undefined || Object(changes) !== changes || Array.isArray(changes)) return changes
  const all = Object.entries(changes).map(([name, one]) => [name, changed(entry?.[name] ?? {}, one)])
  return { ...entry, ...Object.fromEntries(all) }
}

/** Writes entries to a file that is deleted at the end of the test. */
export function fileOf(entries: readonly Entry[], start = ''): string {
  const file = join(folder(), 'a.har')
  const creator = { name: 'a test', version: '1' }
  writeFileSync(file, start + JSON.stringify({ log: { version: '1.2', creator, entries } }))
  return file
}

/** Calibrates recordings: files, or the entries of one. */
export async function calibrated(
  recorded: Tape | readonly Entry[] | string,
  options: Parameters<typeof readRecordings>[2] = {},
): Promise<CalibrationResult & CalibrationResult['calibration'] & Pick<Recordings, 'notes' | 'skipped'>> {
  const file =
    typeof recorded === 'string' ? recorded : 'taped' in recorded ? recorded.file() : fileOf(recorded)
  const recordings = await readRecordings([file], contract, options)
  const found = await calibrate(recordings, contract)
  return { ...found, ...found.calibration, notes: recordings.notes, skipped: recordings.skipped }
}

/** Removes the response. */
export function unanswered(entry: Entry): Entry {
  return { ...entry, response: { status: 0, headers: [], content: { size: 0 } } }
}

export function withoutRequestBody(entry: Entry): Entry {
  return changed(entry, { request: { postData: undefined } })
}

function withoutResponseBody({ response, ...entry }: Entry): Entry {
  return { ...entry, response: { ...response, content: { size: -1 }, bodySize: -1 } }
}

/** Parts of an exchange that recorders and networks may lose */
export const losses = [unanswered, withoutResponseBody, withoutRequestBody]
