import { JournalRecord } from '../../journal/Journal.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import { ownSecrets } from '../../journal/redaction/redactRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { inverse } from '../../world/change.ts'

/** The JSON of a record: instead of the world that it met, what its change has replaced there. */
export function writeRecord(record: RawRecord): string {
  const { before, origin, ...raw } = record
  const secrets = raw.account === null ? undefined : ownSecrets(record)
  const undo = before && raw.change && inverse(before, raw.change)
  // A world's origin may hold credentials.
  const from = origin && { load: origin.load, rewind: origin.rewind }
  return JSON.stringify({ ...raw, origin: from, secrets, undo })
}

/** @param credentials for records of unknown senders */
export function readRecord(id: number, text: string, credentials: () => KnownSecrets): JournalRecord {
  const raw = JSON.parse(text) as RawRecord
  return new JournalRecord({ ...raw, id, secrets: raw.secrets ?? credentials })
}
