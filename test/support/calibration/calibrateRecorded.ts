import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { calibrate, type CalibrationResult } from '../../../src/lab/calibration/calibrate.ts'
import { readRecordings, type Recordings } from '../../../src/lab/calibration/readRecordings.ts'
import { loadContract } from '../../../src/contract/loadContract.ts'
import { createFolder } from '../start.ts'
import type { Tape } from './Tape.ts'

const contract = await loadContract()

// Tests alter entries freely, as recorders and networks do.
// oxlint-disable-next-line typescript/no-explicit-any
export type Entry = any

/** Changes parts of an entry. undefined removes a part. */
export function changeEntry(entry: Entry, changes: Entry): Entry {
  if (changes === undefined || Object(changes) !== changes || Array.isArray(changes)) return changes
  const all = Object.entries(changes).map(([name, one]) => [name, changeEntry(entry?.[name] ?? {}, one)])
  return { ...entry, ...Object.fromEntries(all) }
}

/** Writes entries to a HAR file that is deleted at the end of the test. @returns its path */
export function writeHar(entries: readonly Entry[], start = ''): string {
  const file = join(createFolder(), 'a.har')
  const creator = { name: 'a test', version: '1' }
  writeFileSync(file, start + JSON.stringify({ log: { version: '1.2', creator, entries } }))
  return file
}

/** Calibrates with a recording, a file or entries. */
export async function calibrateRecorded(
  recorded: Tape | readonly Entry[] | string,
  options: Parameters<typeof readRecordings>[2] = {},
): Promise<CalibrationResult & CalibrationResult['calibration'] & Pick<Recordings, 'notes' | 'skipped'>> {
  const file =
    typeof recorded === 'string' ? recorded : 'exchanges' in recorded ? recorded.file() : writeHar(recorded)
  const recordings = await readRecordings([file], contract, options)
  const found = await calibrate(recordings, contract)
  return { ...found, ...found.calibration, notes: recordings.notes, skipped: recordings.skipped }
}

/** Removes the response. */
export function removeResponse(entry: Entry): Entry {
  return { ...entry, response: { status: 0, headers: [], content: { size: 0 } } }
}

export function removeRequestBody(entry: Entry): Entry {
  return changeEntry(entry, { request: { postData: undefined } })
}

function removeResponseBody({ response, ...entry }: Entry): Entry {
  return { ...entry, response: { ...response, content: { size: -1 }, bodySize: -1 } }
}

/** Functions that remove parts of an exchange, as recorders and networks may do */
export const losses = [removeResponse, removeResponseBody, removeRequestBody]
