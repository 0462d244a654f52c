import type { Contract } from '../../contract/Contract.ts'
import { JournalRecord } from '../../journal/Journal.ts'
import { Observations } from '../../journal/Observations.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { parseId, type HistoryEntry } from './WorldCache.ts'
import { lostState } from './refusals.ts'
import type { Connection } from './Connection.ts'
import { pairsOf } from '../../pairsOf.ts'
import { StoredText } from './recordCodec.ts'

type Seen = [
  run: string,
  cleared: string,
  dropped: string,
  length: number,
  entries: HistoryEntry[],
  marks: HistoryEntry[],
  coverage: string[],
  ids: string[],
]

/** Credentials to redact in records with an unknown sender */
interface Secrets {
  known: () => KnownSecrets
  /** Looks up the credentials of some accounts */
  learn: (logins: string[]) => Promise<void>
}

/** Reads journal and coverage from the store on demand, and incrementally. */
export class SharedJournal {
  readonly #connection: Connection
  readonly #contract: Contract
  readonly #limit: number
  readonly #secrets: Secrets
  #run = ''
  #cleared = ''
  #last = '0-0'
  #lastMark = '0-0'
  #records: JournalRecord[] = []
  /** Shared texts of this run that have been fetched so far */
  #texts = new Map<string, string>()
  #reading: Promise<unknown> = Promise.resolve()
  /** Whether a record that was just read has an unknown sender */
  #isUnknown = false

  constructor(connection: Connection, contract: Contract, limit: number, secrets: Secrets) {
    this.#connection = connection
    this.#contract = contract
    this.#limit = limit
    this.#secrets = secrets
  }

  /** Calls run one after the other, so that nothing is read twice. */
  read(account = ''): Promise<Observations> {
    const reading = this.#reading.then(() => this.#read(account))
    this.#reading = reading.catch(() => {})
    return reading
  }

  /** Decodes the record of an event. */
  async record(run: string, id: number, json: string): Promise<JournalRecord> {
    const stored = new StoredText(json)
    if (!stored.isKnown) await this.#learnSecrets()
    const texts = run === this.#run ? this.#texts : new Map<string, string>()
    await this.#fetchTexts(run, [stored], texts)
    return this.#decode(id, stored, texts)
  }

  #decode(id: number, stored: StoredText, texts: ReadonlyMap<string, string>): JournalRecord {
    const raw = stored.decode(id, texts)
    raw.secrets ??= this.#secrets.known
    return new JournalRecord(raw)
  }

  /** Fetches the shared texts that are still missing. */
  async #fetchTexts(run: string, records: readonly StoredText[], texts: Map<string, string>): Promise<void> {
    const names = new Set(records.flatMap(({ references }) => references))
    const missing = [...names].filter((name) => !texts.has(name))
    if (missing.length === 0) return
    const found = (await this.#connection.ask('texts', [run, ...missing])) as (string | null)[]
    for (const [index, text] of found.entries()) if (text !== null) texts.set(missing[index] as string, text)
  }

  /** Must run before a record with an unknown sender is shown, so that credentials in it are redacted. */
  async #learnSecrets(): Promise<void> {
    this.#isUnknown = true
    await this.read()
  }

  async #read(account: string): Promise<Observations> {
    for (;;) {
      const known = [this.#run, this.#cleared, this.#last, this.#lastMark, account]
      const seen = (await this.#connection.ask('seen', known)) as Seen | []
      if (seen.length === 0) throw lostState(this.#connection.address)
      const [run, cleared, dropped, length, entries, marks, coverage, ids] = seen
      if (run !== this.#run || cleared !== this.#cleared) {
        this.#records = []
        this.#last = this.#lastMark = '0-0'
      }
      if (run !== this.#run) this.#texts = new Map()
      this.#run = run
      this.#cleared = cleared
      const stored = entries.map(([, [, , , json = '']]) => new StoredText(json))
      await this.#fetchTexts(run, stored, this.#texts)
      for (const [index, [id, [, sender]]] of entries.entries()) {
        this.#records.push(this.#decode(parseId(id).birth, stored[index] as StoredText, this.#texts))
        this.#last = id
        this.#isUnknown ||= sender === ''
      }
      if (this.#isUnknown) await this.#secrets.learn(pairsOf(ids).map(([login]) => login))
      this.#isUnknown = false
      if (entries.length === 1000) continue // there may be more
      this.#records = length === 0 ? [] : this.#records.slice(-length)
      for (const [id, [, lost]] of marks) {
        const found = this.#records.find(({ raw }) => raw.id === Number(lost))
        if (found) found.raw.lost = true
        this.#lastMark = id
      }
      return this.#observations(Number(dropped), coverage, account)
    }
  }

  #observations(dropped: number, coverage: readonly string[], account: string): Observations {
    const observations = new Observations(this.#contract, this.#limit)
    observations.journal.fill(this.#records, dropped)
    for (const [response, times] of pairsOf(coverage))
      observations.coverage.add(account || null, response, Number(times))
    return observations
  }
}
