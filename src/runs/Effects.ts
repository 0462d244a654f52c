import { createHash, randomBytes } from 'node:crypto'
import type { Contract } from '../contract/Contract.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { isObject } from '../world/mergePatch.ts'
import { kinds } from '../world/World.ts'

/** What a client did: `service 5001 bindedip` is now `203.0.113.10`, or a `new service (…)` was `added`. */
export interface Effect {
  subject: string
  value: string
}

type Fields = Record<string, unknown>

/** A record that requests have changed, by its fields' paths: `sticky ttl` */
interface Touched {
  subject: string
  isNew: boolean
  /** As it was before, or as it was added */
  was: Fields
  now: Fields
}

const added = 'added'

/**
 * What the requests of a client did to the accounts, whatever ids and times they got. Changes by the timeline or through
 * the control plane are not the client's. A reset or a load forgets nothing.
 */
export class Effects {
  /** Names of fields that the service makes up itself, so that they differ per run */
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
    const touch = (key: string, subject: string, was: Fields, isNew = false): Touched => {
      const id = `${load} ${account} ${key}`
      const touched = this.#touched.get(id) ?? { subject: `${who}:${subject}`, isNew, was, now: was }
      this.#touched.set(id, touched)
      return touched
    }
    if (typeof change.credit === 'number') {
      const touched = touch('', '', { credit: before.credit })
      // As a difference, because the timeline may have taken from the credit as well.
      touched.now = { credit: Number(touched.now['credit']) + change.credit - before.credit }
    }
    for (const kind of kinds)
      for (const [id, patch] of Object.entries(change[kind] ?? {})) {
        const fields = fieldsOf(patch ?? {})
        const known = before[kind].get(id)
        const noun = kind.replace(/s$/, '')
        const touched = known
          ? touch(`${kind} ${id}`, ` ${noun} ${id}`, fieldsOf(known))
          : touch(`${kind} ${id}`, ` new ${noun} ${this.#describe(fields)}`, fields, true)
        touched.now = { ...touched.now, ...fields }
      }
  }

  /** All effects so far. */
  get list(): Effect[] {
    return [...this.#touched.values()].flatMap(({ subject, isNew, was, now }) => [
      ...(isNew ? [{ subject, value: added }] : []),
      ...Object.keys(now)
        .map((name) => ({ name, before: this.#shown(name, was[name]), value: this.#shown(name, now[name]) }))
        .filter(({ before, value }) => value !== before)
        .map(({ name, value }) => ({ subject: `${subject} ${name}`, value })),
    ])
  }

  /** A new record by those of its fields that don't differ per run. */
  #describe(fields: Fields): string {
    const told = Object.entries(fields).filter(
      ([name, value]) =>
        !this.#generated.has(name) && !isSecret(name) && typeof value !== 'object' && value !== '',
    )
    return `(${told
      .map(([name, value]) => `${name} ${String(value)}`)
      .toSorted()
      .join(', ')})`
  }

  #shown(name: string, value: unknown): string {
    if (value === undefined || value === null || value === '') return 'none'
    if (isSecret(name)) return `set (fingerprint ${fingerprint(value)})`
    if (Array.isArray(value))
      return (
        value.map((item) => (isObject(item) ? this.#describe(fieldsOf(item)) : item)).join(', ') || 'none'
      )
    if (typeof value === 'number') return name === 'credit' ? value.toFixed(2) : String(value)
    return JSON.stringify(value).replaceAll('"', '')
  }
}

/** The effects that one client has more often than another, in any order. */
export function surplus(effects: readonly Effect[], others: readonly Effect[]): Effect[] {
  const left = new Map<string, number>()
  const keyOf = ({ subject, value }: Effect): string => JSON.stringify([subject, value])
  for (const effect of others) left.set(keyOf(effect), (left.get(keyOf(effect)) ?? 0) + 1)
  return effects.filter((effect) => {
    const count = left.get(keyOf(effect)) ?? 0
    left.set(keyOf(effect), count - 1)
    return count <= 0
  })
}

/** Whether a client added a record that another one didn't: it ordered again. */
export function addsMore(effects: readonly Effect[], others: readonly Effect[]): boolean {
  return surplus(effects, others).some(({ value }) => value === added)
}

/** The fields of a record by their paths. Times are left out: they differ per run. */
function fieldsOf(record: object, path = ''): Fields {
  const fields: Fields = {}
  for (const [name, value] of Object.entries(record))
    if (isObject(value)) Object.assign(fields, fieldsOf(value, `${path}${name} `))
    else if (!isTime(value)) fields[path + name] = value
  return fields
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?$/.test(value)
}

function isSecret(name: string): boolean {
  return /password|token|secret/i.test(name)
}

const salt = randomBytes(16)

/** Distinguishes credentials without revealing them. */
function fingerprint(value: unknown): string {
  return createHash('sha256').update(salt).update(JSON.stringify(value)).digest('hex').slice(0, 8)
}

/** The names of all fields that the contract marks as made up by the service. */
function generatedFields({ document }: Contract): Set<string> {
  const found = new Set<string>()
  JSON.stringify(document['components'], (_name, schema: { properties?: object }) => {
    for (const [name, property] of Object.entries(schema?.properties ?? {}))
      if (isObject(property) && property['x-generated'] === true) found.add(name)
    return schema
  })
  return found
}
