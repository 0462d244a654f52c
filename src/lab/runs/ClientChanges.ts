import { createHmac, randomBytes } from 'node:crypto'
import type { Contract } from '../../contract/Contract.ts'
import {
  type JournalRecord,
  assignedIds,
  asShown,
  diffPatch,
  isObject,
  mergePatch,
  shownBalance,
  spend,
  getNoun,
  kinds,
} from '../simulator.ts'

type Fields = Readonly<Record<string, unknown>>

/** A record that the client changed, or the balance of an account. */
interface TouchedRecord {
  /** `reseller: service 5001` */
  subject: string
  id?: string
  isNew: boolean
  /** The record before the client's first change; for a new record, the fields that the service sets */
  original: Fields
  /** `original` with the client's changes, but no other changes */
  current: Fields
}

/** The changes of a client to a record, or to the balance of an account. */
export interface Effect {
  /** `reseller: service 5001`; `reseller: new service` for each service that the client added */
  subject: string
  /** The id of a record, which differs per run if it is new */
  id?: string | undefined
  isNew: boolean
  /** The changed fields, or all fields of a new record, without ids and times, which differ per run */
  fields: readonly Field[]
}

export type Field = readonly [name: string, value: string]

const addresses = /\b(?:\d{1,3}\.){3}\d{1,3}\b/g

const none = 'none'

/**
 * The effects of a client's requests on the accounts. Changes by the timeline or through the control plane aren't included.
 * Resets and loads don't clear earlier effects.
 */
export class ClientChanges {
  /** Names of the fields that the service generates, and that therefore differ per run */
  readonly #generated: ReadonlySet<string>
  readonly #touched = new Map<string, TouchedRecord>()
  /** The values that the service assigned: ids and generated fields of new records, and addresses that no request named */
  readonly assigned = new Set<string>()

  constructor(contract: Contract) {
    this.#generated = generatedFields(contract)
  }

  add({ account, before, change, path, requestBody = '' }: JournalRecord): void {
    if (account === null || !before || !change) return
    const { load, token } = before.origin
    // Logins of accounts that the client created differ per run.
    const accountLabel = token === undefined ? account : 'accounts it created'
    const key = `${load} ${account}`
    for (const id of assignedIds(before, change)) this.assigned.add(id)
    const sent = `${path} ${requestBody}`
    for (const [address] of JSON.stringify(change).matchAll(addresses))
      if (!sent.includes(address)) this.assigned.add(address)
    const balance = this.#findOrAdd(key, `${accountLabel}:`, shownBalance(before))
    balance.current = spend(balance.current, before, change)
    for (const kind of kinds)
      for (const [id, patch] of Object.entries(change[kind] ?? {})) {
        const original = before[kind].get(Number(id)) as Fields | undefined
        const noun = getNoun(kind)
        const subject = original ? `${accountLabel}: ${noun} ${id}` : `${accountLabel}: new ${noun}`
        const first = original ?? this.#pickGenerated(patch as Fields)
        const record = this.#findOrAdd(`${key} ${kind} ${id}`, subject, first, !original)
        record.id = id
        record.current = mergePatch(record.current, patch) as Fields
        if (!original)
          for (const value of Object.values(this.#pickGenerated(record.current)))
            if (typeof value === 'string') this.assigned.add(value)
      }
  }

  #findOrAdd(key: string, subject: string, original: Fields, isNew = false): TouchedRecord {
    const touched = this.#touched.get(key) ?? { subject, isNew, original, current: original }
    this.#touched.set(key, touched)
    return touched
  }

  get effects(): Effect[] {
    return [...this.#touched.values()].map(({ subject, id, isNew, original, current }) => ({
      subject,
      id,
      isNew,
      fields: isNew ? this.#stableFields(current, original) : this.#changedFields(original, current),
    }))
  }

  /** The fields of a record that don't differ per run. */
  #stableFields(record: Fields, generated = this.#pickGenerated(record)): Field[] {
    return this.#changedFields(generated, record).filter(([, value]) => value !== none)
  }

  #pickGenerated(record: Fields): Fields {
    return Object.fromEntries(Object.entries(record).filter(([name]) => this.#generated.has(name)))
  }

  #changedFields(original: Fields, current: Fields): Field[] {
    const [first, last] = [asShown(original, original), asShown(current, original)]
    // Lists that differ only in their times have the same text.
    const before = new Map(this.#flatten(first))
    const changed = this.#flatten((diffPatch(first, last) ?? {}) as Fields)
    return changed.filter(([name, value]) => before.get(name) !== value)
  }

  /** Fields by path (`sticky ttl`), without removed fields and without times, which differ per run. */
  #flatten(fields: Fields, path = ''): Field[] {
    return Object.entries(fields).flatMap(([name, value]): Field[] => {
      if (isObject(value)) return this.#flatten(value, `${path}${name} `)
      if (value === null || isTime(value)) return []
      return [[path + name, name === 'password' ? fingerprint(value as string) : this.#render(value)]]
    })
  }

  #render(value: unknown): string {
    if (!Array.isArray(value)) return value === '' ? none : String(value)
    return (
      value.map((one) => (isObject(one) ? renderFields(this.#stableFields(one)) : String(one))).join(', ') ||
      none
    )
  }
}

const salt = randomBytes(16)

/** A fingerprint of a password: comparable within this process, and not reversible. */
function fingerprint(password: string): string {
  return `set (${createHmac('sha256', salt).update(password).digest('hex').slice(0, 8)})`
}

/** `(amount 20, status Paid)` */
function renderFields(fields: readonly Field[]): string {
  const texts = fields.map(([name, value]) => `${name} ${value}`)
  return `(${texts.toSorted().join(', ')})`
}

/**
 * Renders effects in the words of `describeChange`: `reseller: + service (…)`, or a line per changed field, `reseller: service 5001
 * bindedip → 203.0.113.10`, `file orders.csv: "done"`.
 */
export function renderEffects(effects: readonly Effect[]): string[] {
  return effects.flatMap(({ subject, isNew, fields }) =>
    isNew
      ? [`${subject.replace(': new ', ': + ')} ${renderFields(fields)}`]
      : fields.map((field) => renderField(subject, field)),
  )
}

/** Renders a field that has another value: `reseller: credit → 250.00 instead of 230.00`, `file a.csv: "b" instead of "a"`. */
export function renderReplacement(usual: Effect, { subject, fields: [field] }: Effect): string {
  const [, value = ''] = usual.fields[0] ?? []
  const text = field ? renderField(subject, field) : subject
  return `${text} instead of ${subject.startsWith('file ') ? quote(value) : value}`
}

/** The field of a file that has a value for each new record whose id is in the file: 1, 2… */
export const idField = 'different ids'

function renderField(subject: string, [name, value]: Field): string {
  if (!subject.startsWith('file '))
    return name === 'IP list'
      ? subject.replace(/service (\S+)$/, 'IP list of $1 renewed')
      : `${subject} ${name} → ${value}`
  const file = subject.replace(/\*$/, 's together')
  if (name === 'exists') return `${file} exists`
  if (name === idField) return `${file}: ${name}, at least ${value}`
  return name === 'line' ? `${file}: ${quote(value)}` : `${file}: ${name}: ${quote(value)}`
}

const maxValue = 100

function quote(text: string): string {
  return JSON.stringify(text.length > maxValue ? `${text.slice(0, maxValue)}…` : text)
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
