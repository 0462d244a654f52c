import type { Contract } from '../../contract/Contract.ts'
import { JournalRecord } from '../../journal/Journal.ts'
import { Observations } from '../../journal/Observations.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { parseId, type HistoryEntry } from './WorldCache.ts'
import { lostState } from './refusals.ts'
import type { Connection } from './Connection.ts'

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

/** What covers credentials in records that may be anybody's */
interface Secrets {
  known: () => KnownSecrets
  /** Looks up those of some accounts */
  learn: (logins: string[]) => Promise<void>
}

/** Journal and coverage, read from the store by those who look at them; what was read before is not read again. */
export class SharedJournal {
  readonly #connection: Connection
  readonly #contract: Contract
  readonly #limit: number
  readonly #secrets: Secrets
  #run = ''
  #cleared = ''
  #last = '0-0'
  #lastMark = '0-0'
  #records: { raw: RawRecord; record: JournalRecord }[] = []
  #reading: Promise<unknown> = Promise.resolve()
  /** Whether somebody unknown sent one of the records that were just read */
  #isUnknown = false

  constructor(connection: Connection, contract: Contract, limit: number, secrets: Secrets) {
    this.#connection = connection
    this.#contract = contract
    this.#limit = limit
    this.#secrets = secrets
  }

  /** One after the other: what is read is read once. */
  read(account = ''): Promise<Observations> {
    const reading = this.#reading.then(() => this.#read(account))
    this.#reading = reading.catch(() => {})
    return reading
  }

  /** A record out of its text. */
  record(id: number, text: string): { raw: RawRecord; record: JournalRecord } {
    const raw = JSON.parse(text) as RawRecord
    raw.id = id
    raw.secrets ??= this.#secrets.known
    if (raw.entry) raw.entry.id = id
    return { raw, record: new JournalRecord(raw) }
  }

  /** Before a record of somebody unknown is told: what it may show is covered. */
  async learnSecrets(): Promise<void> {
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
      this.#run = run
      this.#cleared = cleared
      for (const [id, [, sender, , text = '{}']] of entries) {
        this.#records.push(this.record(parseId(id).birth, text))
        this.#last = id
        this.#isUnknown ||= sender === ''
      }
      if (this.#isUnknown) await this.#secrets.learn(ids.filter((_, at) => at % 2 === 0))
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
    observations.journal.fill(
      this.#records.map(({ record }) => record),
      dropped,
    )
    for (let at = 1; at < coverage.length; at += 2) {
      const [operation, status, name] = (coverage[at - 1] as string).split(' ')
      observations.coverage.count(
        account === '' ? null : account,
        operation as string,
        Number(status),
        name === '' || name === undefined ? null : name,
        Number(coverage[at]),
      )
    }
    return observations
  }
}
