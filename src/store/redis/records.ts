import { JournalRecord } from '../../journal/Journal.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'

/** The JSON of a record. If its bodies are too long to be kept, it has the redacted entry instead. */
export function writeRecord(raw: RawRecord): string {
  const { before: _, origin, ...kept } = raw
  const secrets = typeof raw.secrets === 'function' ? raw.secrets() : raw.secrets
  // A world's origin may hold credentials.
  const from = origin && { load: origin.load, ...(origin.rewind !== undefined && { rewind: origin.rewind }) }
  const record = new JournalRecord({ ...kept, origin: from, secrets })
  const isCut = record.raw.requestBody !== raw.requestBody || record.raw.responseBody !== raw.responseBody
  return JSON.stringify(isCut ? { ...record.raw, entry: record.entry } : record.raw)
}

/** @param credentials for records of unknown senders */
export function readRecord(id: number, text: string, credentials: () => KnownSecrets): JournalRecord {
  const raw = JSON.parse(text) as RawRecord
  raw.requestBody ??= undefined
  raw.responseBody ??= undefined
  raw.secrets ??= credentials
  // The entry was made before the record had its number.
  return new JournalRecord({ ...raw, id, ...(raw.entry && { entry: { ...raw.entry, id } }) })
}
