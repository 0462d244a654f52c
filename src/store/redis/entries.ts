import type { JournalRecord } from '../../journal/JournalRecord.ts'
import { applyPatch, inverse } from '../../world/change.ts'
import type { World, WorldChange } from '../../world/World.ts'
import type { Change, Commit } from '../Store.ts'

/** An entry of the log, without its commit's token, request number and changes, which are stored as separate fields. */
export interface Entry {
  account?: string | undefined
  /** The world's version after the changes */
  version?: number | undefined
  /** The inverse of each change */
  undo?: readonly WorldChange[] | undefined
  /** The record. If its change is among the changes, `changeIndex` gives its position instead. */
  record?: (JournalRecord & { changeIndex?: number }) | undefined
  /** Set if the entry isn't a commit */
  event?: 'reset' | 'cleared' | 'undelivered'
  /** Real time at which the client disconnected (event `undelivered`) */
  endedAt?: number
  scenario?: string
  keepJournal?: boolean | undefined
}

/** An entry as Redis returns it */
export type Row = [
  id: string,
  fields: [t: 't', token: string, i: 'i', request: string, c: 'c', changes: string, e: 'e', entry: string],
]

export function createEntry({ login, before, after, changes, isReplacement, record }: Commit): Entry {
  return {
    account: login,
    version: after?.version,
    undo: before && !isReplacement ? invertChanges(before, changes) : undefined,
    record: record && storedRecord(record, changes),
  }
}

/** The inverse of each change. */
function invertChanges(before: World, changes: readonly Change[]): WorldChange[] {
  let world = before
  return changes.map(({ patch }) => {
    const undo = inverse(world, patch as WorldChange)
    world = applyPatch(world, patch as WorldChange)
    return undo
  })
}

function storedRecord(record: JournalRecord, changes: readonly Change[]): Entry['record'] {
  const { before, origin = before?.origin, change: patch } = record
  const changeIndex = changes.findIndex((one) => one.patch === patch)
  return {
    ...record,
    before: undefined,
    known: before && { version: before.version, timeZone: before.assumptions.timeZone },
    entry: undefined,
    origin: origin && { load: origin.load, rewind: origin.rewind, label: origin.label }, // its other fields may contain credentials
    // The record's change isn't among the committed ones if fault counters were merged into it.
    ...(changeIndex >= 0
      ? { changeIndex, change: undefined }
      : patch && before && { undo: inverse(before, patch) }),
  }
}

export type LogEntry = Entry & { id: string; request: number; changes: readonly Change[] }

export function readRow([id, row]: Row): LogEntry {
  const [, , , request, , changes, , text] = row
  const entry: LogEntry = {
    ...(JSON.parse(text) as Entry),
    id,
    request: Number(request),
    changes: JSON.parse(changes) as Change[],
  }
  const { record, undo } = entry
  if (!record) return entry
  record.id = entry.request
  const { changeIndex } = record
  if (changeIndex === undefined) return entry
  record.change = entry.changes[changeIndex]?.patch ?? undefined
  record.undo = undo?.[changeIndex]
  return entry
}
