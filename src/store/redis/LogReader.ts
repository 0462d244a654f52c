import { Journal } from '../../journal/Journal.ts'
import { markUndelivered } from '../../journal/JournalRecord.ts'
import { applyPatch } from '../../world/change.ts'
import type { World } from '../../world/World.ts'
import { createEvents, type StoreEvent } from '../Store.ts'
import { readRow, type LogEntry, type Row } from './entries.ts'

export type LogReply = [status: string, rows: Row[], total: number, scenario: string]

/** Reads the entries of the log from an id on. */
type Read = (from: string, deadline?: number) => Promise<LogReply>

interface Limits {
  /** Maximum number of requests in the journal */
  journal: number
  /** Maximum number of entries in the log */
  maxEntries: number
}

/** Id before all entries of the log */
const beforeFirstEntry = '0-0'

/** Reads the journal, the events, and how to undo changes from the log of all replicas. */
export class LogReader {
  readonly #read: Read
  readonly #limits: Limits
  readonly #emit: (event: StoreEvent) => void
  /** Id of the last entry that was applied */
  #cursor = beforeFirstEntry
  #journal: Journal
  #undoLog: Pick<LogEntry, 'account' | 'version' | 'undo'>[] = []
  #updating: Promise<unknown> = Promise.resolve()

  constructor(read: Read, limits: Limits, emit: (event: StoreEvent) => void) {
    this.#read = read
    this.#limits = limits
    this.#emit = emit
    this.#journal = new Journal(limits.journal)
  }

  async journal(deadline?: number): Promise<Journal> {
    await this.update(deadline)
    return this.#journal
  }

  /** Applies the entries since the last update. Updates run one after the other. */
  update(deadline?: number): Promise<void> {
    const updating = this.#updating.catch(() => {}).then(() => this.#update(deadline))
    this.#updating = updating
    return updating
  }

  async #update(deadline?: number): Promise<void> {
    const [, rows, total, scenario] = await this.#read(this.#cursor, deadline)
    const entries = rows.map((row) => readRow(row))
    if (entries[0]?.id === this.#cursor) entries.shift()
    else if (this.#cursor !== beforeFirstEntry) {
      // The log was replaced, or entries were trimmed before they were read.
      this.#cursor = beforeFirstEntry
      return this.#update(deadline)
    } else {
      this.#undoLog = []
      this.#journal = new Journal(this.#limits.journal)
      this.#emit({ type: 'reset', scenario })
      // The requests whose entries were trimmed
      this.#journal.dropped = Math.max(0, total - entries.filter(({ record }) => record).length)
    }
    for (const entry of entries) this.#apply(entry)
  }

  #apply(entry: LogEntry): void {
    const { id, account = '', version, undo, request, changes, record, event } = entry
    this.#cursor = id
    if (undo && changes.length > 0) this.#undoLog.push({ account, version, undo })
    if (this.#undoLog.length > this.#limits.maxEntries) this.#undoLog.shift()
    if (record) this.#journal.add(record)
    if (event === 'undelivered')
      for (const one of this.#journal.records)
        if (one.id === request) markUndelivered(one, entry.endedAt ?? one.at)
    if (event === 'cleared') this.#journal.clear(entry.account)
    else if (event === 'reset' && !entry.keepJournal) this.#journal.clear()
    for (const one of createEvents({ login: account, changes, record })) this.#emit(one)
    if (event === 'reset') this.#emit({ type: 'reset', scenario: entry.scenario ?? '' })
  }

  /** An account's world at an earlier version; undefined if the log doesn't reach back that far. */
  undo(current: World, account: string | null, version: number): World | undefined {
    let world = current
    for (const { undo = [], account: owner, version: after } of this.#undoLog.toReversed()) {
      if (world.version <= version) break
      if (owner !== account || after !== world.version) continue
      for (const patch of undo.toReversed())
        if (world.version > version) world = { ...applyPatch(world, patch), version: world.version - 1 }
    }
    return world.version === version ? world : undefined
  }
}
