import { JournalRecord } from '../../journal/Journal.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import { ownSecrets } from '../../journal/redaction/redactRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { change, inverse } from '../../world/change.ts'
import type { World, WorldChange } from '../../world/World.ts'
import type { Change } from '../Store.ts'

/** An entry of the log: its id, and its fields by turns with their values. */
export type Entry = [id: string, fields: string[]]

/** The fields of an entry, as `scripts.ts` describes them */
export type Fields = Readonly<Record<string, string | undefined>>

export function fieldsOf([, flat]: Entry): Fields {
  const fields: Record<string, string> = {}
  for (let i = 0; i < flat.length; i += 2) fields[flat[i] as string] = flat[i + 1] as string
  return fields
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
export function writeRecord(record: RawRecord, changes: readonly Change[]): string {
  const { before, origin, ...raw } = record
  const isInEntry = changes.length === 1 && changes[0]?.patch === raw.change
  return JSON.stringify({
    ...raw,
    // A world's origin may hold credentials.
    origin: origin && { load: origin.load, rewind: origin.rewind },
    secrets: raw.account === null ? undefined : ownSecrets(record),
    change: isInEntry ? undefined : raw.change,
    undo: isInEntry ? undefined : before && raw.change && inverse(before, raw.change),
    isInEntry: isInEntry || undefined,
  })
}

/** @param credentials for records of unknown senders */
export function readRecord(
  id: number,
  { r = '', c = '', u = '' }: Fields,
  credentials: () => KnownSecrets,
): JournalRecord {
  const { isInEntry, ...raw } = JSON.parse(r) as RawRecord & { isInEntry?: boolean }
  const secrets = raw.secrets ?? credentials
  if (!isInEntry) return new JournalRecord({ ...raw, id, secrets })
  const [made] = JSON.parse(c) as Change[]
  const [undo] = JSON.parse(u) as WorldChange[]
  return new JournalRecord({ ...raw, id, secrets, change: made?.patch, ...(undo && { undo }) })
}
