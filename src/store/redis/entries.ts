import type { JournalRecord } from '../../journal/JournalRecord.ts'
import { ownSecrets, shownOf } from '../../journal/redaction/redactRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { change, inverse } from '../../world/change.ts'
import { isShownAsKept, shownChange } from '../../world/shownChange.ts'
import { realTime } from '../../world/time.ts'
import type { World, WorldChange } from '../../world/World.ts'
import type { Change, Commit } from '../Store.ts'

/** What an entry of the log says beside the token of its commit, the number of its request, and its changes. */
export interface Entry {
  account?: string | undefined
  /** Of the world after it, and the patches that undo the changes */
  version?: number | undefined
  undo?: readonly WorldChange[] | undefined
  /** Changes as they are shown, where that differs, and what undoes them */
  shown?: readonly (JournalRecord['shown'] | null)[] | undefined
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
    ...(before && !isReplacement && undoing(before, changes)),
    secrets: record || !after ? undefined : [after.password, after.tokens],
    record: record && recorded(record, changes),
  }
}

/** The patches that undo changes, in the same order, and how those are shown. */
function undoing(before: World, changes: readonly Change[]): Pick<Entry, 'undo' | 'shown'> {
  let world = before
  const steps = changes.map(({ patch }) => {
    const from = world
    const made = patch as WorldChange
    const undo = inverse(from, made)
    world = change(from, made)
    if (isShownAsKept(made)) return { undo }
    const real = realTime()
    return { undo, shown: { change: shownChange(made, world, real), undo: shownChange(undo, from, real) } }
  })
  const undo = steps.map((step) => step.undo)
  return steps.some(({ shown }) => shown)
    ? { undo, shown: steps.map(({ shown }) => shown ?? null) }
    : { undo }
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
    // With the counters of faults, the change that is committed is another one.
    ...(made >= 0 ? { made, change: undefined } : patch && { shown: shownOf(record) }),
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
  record.shown = entry.shown?.[made] ?? undefined
  return entry
}
