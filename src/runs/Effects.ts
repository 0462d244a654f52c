import { createHash, randomBytes } from 'node:crypto'
import type { Contract } from '../contract/Contract.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { change } from '../world/change.ts'
import { isObject } from '../world/mergePatch.ts'
import { kinds, type World } from '../world/World.ts'

/** An account from one load to the next. */
interface Life {
  who: string
  /** As the client found it */
  was: World
  /** The same with the client's changes, and none of anybody else */
  now: World
  /** Services whose passwords the client has set, and what is told of those */
  passwords: Map<string, string>
}

/** The fields of a record as texts, by their paths: `sticky ttl` */
type Fields = Record<string, string>

const added = ': added'
const none = 'none'

/**
 * What the requests of a client did to the accounts, whatever ids and times they got. Changes by the timeline or through
 * the control plane are not the client's. A reset or a load forgets nothing.
 */
export class Effects {
  /** Names of fields that the service makes up itself, so that they differ per run */
  readonly #generated: ReadonlySet<string>
  readonly #lives = new Map<string, Life>()

  constructor(contract: Contract) {
    this.#generated = generatedFields(contract)
  }

  add({ account, before, change: patch }: Pick<JournalRecord, 'account' | 'before' | 'change'>): void {
    if (account === null || !before || !patch) return
    const { load, token } = before.origin
    // Logins of accounts that the client created differ per run.
    const who = token === undefined ? account : 'accounts it created'
    const key = `${load} ${account}`
    const life = this.#lives.get(key) ?? { who, was: before, now: before, passwords: new Map() }
    this.#lives.set(key, life)
    // As a difference, because the timeline may have taken from the credit as well.
    const credit = life.now.credit + (patch.credit ?? before.credit) - before.credit
    for (const kind of kinds)
      for (const id of Object.keys(patch[kind] ?? {})) {
        const record = before[kind].get(id)
        if (!record || life.now[kind].has(id)) continue
        const addedByOthers = { [kind]: { [id]: record } }
        life.was = change(life.was, addedByOthers)
        life.now = change(life.now, addedByOthers)
      }
    life.now = change(life.now, { ...patch, credit })
    for (const [id, service] of Object.entries(patch.services ?? {}))
      if (service?.password && before.services.has(id))
        life.passwords.set(`services ${id}`, `set (${fingerprint(service.password)})`)
  }

  /** A line each: `reseller: service 5001 bindedip: 203.0.113.10`, or `reseller: new service (…): added`. */
  get lines(): string[] {
    return [...this.#lives.values()].flatMap(({ who, was, now, passwords }) => {
      const lines = changed(`${who}: `, creditOf(was), creditOf(now))
      for (const kind of kinds)
        for (const [id, record] of now[kind].entries()) {
          const before = was[kind].get(id)
          if (before === record) continue
          const password = passwords.get(`${kind} ${id}`)
          const fields = { ...this.#fieldsOf(record), ...(password !== undefined && { password }) }
          const noun = kind.replace(/s$/, '')
          if (before) lines.push(...changed(`${who}: ${noun} ${id} `, this.#fieldsOf(before), fields))
          else lines.push(`${who}: new ${noun} ${this.#describe(fields)}${added}`)
        }
      return lines
    })
  }

  /** Without times, which differ per run, and passwords, which are nobody's business. */
  #fieldsOf(record: object, path = ''): Fields {
    const fields: Fields = {}
    for (const [name, value] of Object.entries(record))
      if (isObject(value)) Object.assign(fields, this.#fieldsOf(value, `${path}${name} `))
      else if (name !== 'password' && !isTime(value)) fields[path + name] = this.#textOf(value)
    return fields
  }

  #textOf(value: unknown): string {
    if (!Array.isArray(value)) return value === '' ? none : String(value)
    return value.map((one) => (isObject(one) ? this.#describe(this.#fieldsOf(one)) : one)).join(', ') || none
  }

  /** A record by those of its fields that don't differ per run: a password is only there if the client has set it. */
  #describe(fields: Fields): string {
    const told = Object.entries(fields).filter(
      ([name, value]) => value !== none && (name === 'password' || !this.#generated.has(name)),
    )
    return `(${told
      .map((pair) => pair.join(' '))
      .toSorted()
      .join(', ')})`
  }
}

const salt = randomBytes(16)

/** Tells passwords apart, in this process, and nothing else of them. */
function fingerprint(password: string): string {
  return createHash('sha256').update(salt).update(password).digest('hex').slice(0, 8)
}

function creditOf({ credit }: World): Fields {
  return { credit: credit.toFixed(2) }
}

function changed(subject: string, was: Fields, now: Fields): string[] {
  return Object.entries(now)
    .filter(([name, value]) => value !== (was[name] ?? none))
    .map(([name, value]) => `${subject}${name}: ${value}`)
}

/** What an effect is about: `reseller: service 5001 bindedip` */
export function subjectOf(effect: string): string {
  return effect.slice(0, effect.lastIndexOf(': '))
}

/** The effects that one client has more often than another, in any order. */
export function surplus(effects: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return effects.filter((effect) => {
    const at = left.indexOf(effect)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Whether a client added a record that another one didn't: it ordered again. */
export function addsMore(effects: readonly string[], others: readonly string[]): boolean {
  return surplus(effects, others).some((effect) => effect.endsWith(added))
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?$/.test(value)
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
