import { createHmac, randomBytes } from 'node:crypto'
import type { Contract } from '../contract/Contract.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { diffPatch, isObject, mergePatch } from '../world/mergePatch.ts'
import { service } from '../service/service.ts'
import { kinds } from '../world/World.ts'

type Fields = Readonly<Record<string, unknown>>

/** A record that the client changed, or the balance of an account. */
interface Touched {
  /** `reseller: service 5001` */
  subject: string
  isNew: boolean
  /** The record as the client found it; for a new record, the fields that the service sets */
  was: Fields
  /** `was` with the client's changes, without changes from elsewhere */
  now: Fields
}

const added = ': added'
const none = 'none'

/** The effects of a client's requests, one line each. See `ClientChanges`. */
export function clientChanges(contract: Contract, records: readonly JournalRecord[]): string[] {
  const changes = new ClientChanges(contract)
  for (const record of records) changes.add(record)
  return changes.lines
}

/**
 * The effects of a client's requests on the accounts, without ids and times, which differ per run. Changes by the timeline
 * or through the control plane aren't included. Resets and loads don't clear earlier effects.
 */
class ClientChanges {
  /** Names of the fields that the service generates, and that therefore differ per run */
  readonly #generated: ReadonlySet<string>
  readonly #touched = new Map<string, Touched>()

  constructor(contract: Contract) {
    this.#generated = generatedFields(contract)
  }

  add({ account, before, change }: Pick<JournalRecord, 'account' | 'before' | 'change'>): void {
    if (account === null || !before || !change) return
    const { load, token } = before.origin
    // Logins of accounts that the client created differ per run.
    const who = token === undefined ? account : 'accounts it created'
    const key = `${load} ${account}`
    const balance = this.#found(key, `${who}:`, service.shownBalance(before))
    balance.now = service.spend(balance.now, before, change)
    for (const kind of kinds)
      for (const [id, patch] of Object.entries(change[kind] ?? {})) {
        const was = before[kind].get(Number(id)) as Fields | undefined
        const noun = service.nounOf(kind)
        const subject = was ? `${who}: ${noun} ${id}` : `${who}: new ${noun}`
        const first = was ?? this.#generatedOf(patch as Fields)
        const record = this.#found(`${key} ${kind} ${id}`, subject, first, !was)
        record.now = mergePatch(record.now, patch) as Fields
      }
  }

  #found(key: string, subject: string, was: Fields, isNew = false): Touched {
    const touched = this.#touched.get(key) ?? { subject, isNew, was, now: was }
    this.#touched.set(key, touched)
    return touched
  }

  /** One line per effect: `reseller: service 5001 bindedip: 203.0.113.10`, or `reseller: new service (…): added`. */
  get lines(): string[] {
    return [...this.#touched.values()].flatMap(({ subject, isNew, was, now }) =>
      isNew
        ? `${subject} ${this.#describe(now, was)}${added}`
        : this.#changes(was, now).map(([name, value]) => `${subject} ${name}: ${value}`),
    )
  }

  /** A record, described by the fields that don't differ per run. */
  #describe(record: Fields, generated = this.#generatedOf(record)): string {
    const shown = this.#changes(generated, record).filter(([, value]) => value !== none)
    const texts = shown.map(([name, value]) => `${name} ${value}`)
    return `(${texts.toSorted().join(', ')})`
  }

  #generatedOf(record: Fields): Fields {
    return Object.fromEntries(Object.entries(record).filter(([name]) => this.#generated.has(name)))
  }

  #changes(was: Fields, now: Fields): [name: string, value: string][] {
    // Lists that differ only in their times have the same text.
    const before = new Map(this.#texts(was))
    const changed = this.#texts((diffPatch(was, now) ?? {}) as Fields)
    return changed.filter(([name, value]) => before.get(name) !== value)
  }

  /** Fields by path (`sticky ttl`), without removed fields and without times, which differ per run. */
  #texts(fields: Fields, path = ''): [name: string, value: string][] {
    return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
      if (isObject(value)) return this.#texts(value, `${path}${name} `)
      if (value === null || isTime(value)) return []
      return [[path + name, name === 'password' ? fingerprint(value as string) : this.#textOf(value)]]
    })
  }

  #textOf(value: unknown): string {
    if (!Array.isArray(value)) return value === '' ? none : String(value)
    return value.map((one) => (isObject(one) ? this.#describe(one) : String(one))).join(', ') || none
  }
}

const salt = randomBytes(16)

/** A fingerprint of a password: comparable within this process, and not reversible. */
function fingerprint(password: string): string {
  return `set (${createHmac('sha256', salt).update(password).digest('hex').slice(0, 8)})`
}

/** The part of a line that names the changed field: `reseller: service 5001 bindedip` */
export function subjectOf(line: string): string {
  return line.slice(0, line.lastIndexOf(': '))
}

/** The lines that occur more often in the first list, in any order. */
export function surplus(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** The lines about records that a client added. */
export function additions(lines: readonly string[]): string[] {
  return lines.filter((line) => line.endsWith(added))
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?$/.test(value)
}

/** The names of all fields that the contract marks as generated by the service. */
function generatedFields({ document }: Contract): Set<string> {
  const found = new Set<string>()
  JSON.stringify(document['components'], (_name, schema: { properties?: object }) => {
    for (const [name, property] of Object.entries(schema?.properties ?? {}))
      if (isObject(property) && property['x-generated'] === true) found.add(name)
    return schema
  })
  return found
}
