import type { JournalRecord } from '../../journal/JournalRecord.ts'
import { ownSecrets } from '../../journal/redaction/redactRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { change, inverse } from '../../world/change.ts'
import type { World, WorldChange } from '../../world/World.ts'
import type { Change, Commit } from '../Store.ts'

/** What an entry of the log says beside the token of its commit, the number of its request, and its changes. */
export interface Entry {
  account?: string | undefined
  /** Of the world after it, and the patches that undo the changes */
  version?: number | undefined
  undo?: readonly WorldChange[] | undefined
  /** Of the world after it; the record has its own */
  secrets?: KnownSecrets | undefined
  /** Without its change, if that is one of the entry's: the one at `made` */
  record?: (JournalRecord & { made?: number }) | undefined
  /** What is no commit */
  event?: 'reset' | 'cleared' | 'lost'
  scenario?: string
  keepsJournal?: boolean | undefined
}

/** As Redis has it */
export type Row = [
  id: string,
  fields: [t: 't', token: string, i: 'i', request: string, c: 'c', changes: string, e: 'e', entry: string],
]

export function entryOf({ login, before, after, changes, isReplacement, record }: Commit): Entry {
  return {
    account: login,
    version: after?.version,
    undo: before && !isReplacement ? undoing(before, changes) : undefined,
    secrets: record || !after ? undefined : [after.password, after.tokens],
    record: record && recorded(record, changes),
  }
}

/** The patches that undo changes, in the same order. */
function undoing(before: World, changes: readonly Change[]): WorldChange[] {
  let world = before
  return changes.map(({ patch }) => {
    const undo = inverse(world, patch as WorldChange)
    world = change(world, patch as WorldChange)
    return undo
  })
}

function recorded(record: JournalRecord, changes: readonly Change[]): Entry['record'] {
  const { before, origin = before?.origin, change: patch } = record
  const made = changes.findIndex((one) => one.patch === patch)
  return {
    ...record,
    before: undefined,
    entry: undefined,
    origin: origin && { load: origin.load, rewind: origin.rewind }, // it may hold credentials
    secrets: record.account === null ? undefined : ownSecrets(record),
    ...(made >= 0 && { made, change: undefined }),
  }
}

export type LogEntry = Entry & { id: string; request: number; changes: readonly Change[] }

/** @param credentials for records of unknown senders */
export function readRow([id, row]: Row, credentials: () => KnownSecrets): LogEntry {
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
  record.secrets ??= credentials
  const { made } = record
  if (made === undefined) return entry
  record.change = entry.changes[made]?.patch ?? undefined
  record.undo = undo?.[made]
  return entry
}
