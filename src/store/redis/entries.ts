import type { JournalRecord } from '../../journal/JournalRecord.ts'
import { ownSecrets } from '../../journal/redaction/redactRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { pairsOf } from '../../lib/http.ts'
import { change, inverse } from '../../world/change.ts'
import type { World, WorldChange } from '../../world/World.ts'
import type { Change } from '../Store.ts'

/** An entry of the log: its id, and its fields by turns with their values. */
export type Entry = [id: string, fields: string[]]

/** The fields of an entry, as `scripts.ts` describes them */
export type Fields = Readonly<Record<string, string | undefined>>

export function fieldsOf([, flat]: Entry): Fields {
  return Object.fromEntries(pairsOf(flat))
}

/** The patches that undo changes, in the same order. */
export function undoing(before: World, changes: readonly Change[]): WorldChange[] {
  let world = before
  return changes.map(({ patch }, i) => {
    const undo = inverse(world, patch)
    if (i < changes.length - 1) world = change(world, patch)
    return undo
  })
}

/** The JSON of a record, without what its entry has: what it changed, and what that replaced. */
export function writeRecord(record: JournalRecord, changes: readonly Change[]): string {
  const { before, origin, change: patch, entry: _entry, ...others } = record
  const made = changes.findIndex((one) => one.patch === patch)
  return JSON.stringify({
    ...others,
    origin: origin && { load: origin.load, rewind: origin.rewind }, // it may hold credentials
    secrets: record.account === null ? undefined : ownSecrets(record),
    ...(made === -1 ? { change: patch, undo: before && patch && inverse(before, patch) } : { made }),
  })
}

/** @param credentials for records of unknown senders */
export function readRecord(
  { i, r = '', c = '', u = '' }: Fields,
  credentials: () => KnownSecrets,
): JournalRecord {
  const { made, ...record } = JSON.parse(r) as JournalRecord & { made?: number }
  record.id = Number(i)
  record.secrets ??= credentials
  if (made !== undefined) {
    record.change = (JSON.parse(c) as Change[])[made]?.patch
    record.undo = (JSON.parse(u) as WorldChange[])[made]
  }
  return record
}
