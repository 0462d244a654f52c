import { createHash, randomBytes } from 'node:crypto'
import type { Contract } from '../contract/Contract.ts'
import { exportAccount } from '../scenario/exportScenario.ts'
import { localState, type Simulation } from '../Simulation.ts'
import type { StoreEvent } from '../store/Storage.ts'
import { realTime } from '../world/time.ts'
import { change } from '../world/change.ts'
import { isObject, mergePatch, type Json } from '../world/mergePatch.ts'
import { Table } from '../world/Table.ts'
import type { World, WorldChange } from '../world/World.ts'

/** What a client changed: `service 5001 bindedip` is now `203.0.113.10`, or there is another `new service {…}`. */
export interface Effect {
  subject: string
  value: string
  /** Whether it is a record that wasn't there before */
  isNew?: boolean
}

type Fields = Record<string, unknown>

/** An account's world, from when it is loaded or created until it is replaced or deleted. */
interface Life {
  /** The login; accounts that the client created share one name, as their logins differ per run */
  who: string
  /** As it began, with all that the timeline has changed since: that is nothing the client did */
  begun: World
  /** Records added since, by kind and id: their names, and as they were at first but for the timeline */
  added: Record<string, Record<string, { name: string; first: unknown }>>
  world: World
  /** After the last change that was seen: `world` may be ahead of it */
  credit: number
}

/**
 * Compares the worlds before and after a client with each other, across the resets and loads that it makes. Both are
 * exported; what the contract calls generated (`x-generated`) and all times are left out, as they differ per run.
 */
export class EndState {
  readonly #simulation: Simulation
  readonly #generated: ReadonlySet<string>
  readonly #lives = new Map<string, Life>()
  readonly #past: Effect[] = []

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    this.#generated = generatedFields(simulation.contract)
    this.#beginAll()
    simulation.store.on((event) => this.#see(event))
  }

  /** All effects so far. */
  get effects(): Effect[] {
    return [...this.#past, ...[...this.#lives.values()].flatMap((life) => this.#effectsIn(life))]
  }

  #see(event: StoreEvent): void {
    if (event.type === 'reset') {
      for (const login of this.#lives.keys()) this.#end(login)
      this.#beginAll()
    } else if (event.type === 'change') this.#seeChange(event.account, event.change ?? {})
  }

  #seeChange(login: string, patch: WorldChange): void {
    const world = this.#simulation.store.peek(login)
    const life = this.#lives.get(login)
    if (!world || !life || life.begun.origin.load !== world.origin.load) {
      this.#end(login)
      if (world) this.#begin(login, world)
      return
    }
    if ('history' in patch) happen(life, patch)
    if (typeof patch.credit === 'number') life.credit = patch.credit
    life.world = world
    for (const [kind, records] of Object.entries(patch)) {
      const known = life.begun[kind as keyof World]
      if (!isObject(records) || !(known instanceof Table)) continue
      for (const [id, record] of Object.entries(records))
        if (isObject(record) && !known.has(id))
          (life.added[kind] ??= {})[id] ??= { name: this.#describe(record), first: copyOf(record) }
    }
  }

  #beginAll(): void {
    for (const [login, world] of localState(this.#simulation).accounts) this.#begin(login, world)
  }

  #begin(login: string, world: World): void {
    const who = world.origin.token === undefined ? login : 'accounts it created'
    this.#lives.set(login, { who, begun: world, added: {}, world, credit: world.credit })
  }

  #end(login: string): void {
    const life = this.#lives.get(login)
    if (life) this.#past.push(...this.#effectsIn(life))
    this.#lives.delete(login)
  }

  #effectsIn({ who, begun, added, world }: Life): Effect[] {
    const [before, after] = [exported(begun), exported(world)] as const
    const results = Object.keys(after).filter((name) => !notResults.has(name))
    return results.flatMap((name) => {
      const effects = this.#compare(name, before[name], after[name], added[name])
      return effects.map((effect) => ({ ...effect, subject: `${who}: ${effect.subject}` }))
    })
  }

  #compare(subject: string, before: unknown, after: unknown, added?: Life['added'][string]): Effect[] {
    const one = steady(before)
    const other = steady(after)
    if (!added && JSON.stringify(one) === JSON.stringify(other)) return []
    if (isRecords(before) && isRecords(after)) return this.#compareRecords(subject, before, after, added)
    if (isObject(before) && isObject(after))
      return namesOf(before, after).flatMap((name) =>
        this.#compare(`${subject} ${name}`, before[name], after[name]),
      )
    if (isList(before) && isList(after)) {
      const [old, now] = [before, after].map((list) => list.map((item) => this.#describe(item)))
      return [
        ...surplus(old ?? [], now ?? []).map((value) => ({ subject, value: `without ${value}` })),
        ...surplus(now ?? [], old ?? []).map((value) => ({ subject, value: `with ${value}` })),
      ]
    }
    return [{ subject, value: shown(subject, other) }]
  }

  #compareRecords(kind: string, before: Fields, after: Fields, added: Life['added'][string] = {}): Effect[] {
    const noun = kind.replace(/s$/, '')
    return namesOf({ ...before, ...added }, after).flatMap((id): Effect[] => {
      const now = after[id]
      const old = before[id]
      const { name, first } = added[id] ?? { name: this.#describe(now), first: now }
      const subject = old ? `${noun} ${id}` : `new ${noun} ${name}`
      return [
        ...(old ? [] : [{ subject, value: 'added', isNew: true }]),
        ...(now ? this.#compare(subject, old ?? first, now) : [{ subject, value: 'removed' }]),
      ]
    })
  }

  /** A new record or item by those of its fields that don't differ per run. */
  #describe(record: unknown): string {
    if (!isObject(record)) return shown('', steady(record))
    const fields = Object.entries(record).filter(
      ([name, value]) =>
        !this.#generated.has(name) &&
        !isSecret(name) &&
        !isTime(value) &&
        typeof value !== 'object' &&
        value !== '',
    )
    return `(${fields
      .map(([name, value]) => `${name} ${String(value)}`)
      .toSorted()
      .join(', ')})`
  }
}

/** The timeline made a change: it is in the beginning and the end alike. */
function happen(life: Life, { history: _history, timeline: _timeline, credit, ...patch }: WorldChange): void {
  const known: Fields = {}
  if (typeof credit === 'number') known['credit'] = life.begun.credit + credit - life.credit
  for (const [part, value] of Object.entries(patch)) {
    const table = life.begun[part as keyof World]
    if (!(table instanceof Table) || !isObject(value)) {
      known[part] = value
      continue
    }
    const [old, added] = [true, false].map((isOld) =>
      Object.fromEntries(Object.entries(value).filter(([id]) => table.has(id) === isOld)),
    )
    known[part] = old
    for (const [id, more] of Object.entries(added ?? {})) {
      const record = life.added[part]?.[id]
      if (record) record.first = mergePatch(record.first, more as Json)
    }
  }
  life.begun = change(life.begun, known)
}

/** Parts of a world that are not results of what a client does. */
const notResults = new Set(['seed', 'clock', 'faults', 'next', 'timeline', 'history'])

function exported(world: World): Fields {
  return copyOf(exportAccount(world, realTime()))
}

function copyOf(value: object): Fields {
  return JSON.parse(JSON.stringify(value)) as Fields
}

/** The names of all fields that the contract marks as made up by the service. */
function generatedFields({ document }: Contract): Set<string> {
  const found = new Set<string>()
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties } = schema as { properties?: unknown }
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {}))
      if (isObject(property) && property['x-generated'] === true) found.add(name)
    for (const inner of Object.values(schema)) visit(inner)
  }
  visit(document['components'])
  return found
}

/** A map from id to record. */
function isRecords(value: unknown): value is Fields {
  return (
    isObject(value) && Object.entries(value).every(([id, record]) => /^\d+$/.test(id) && isObject(record))
  )
}

/** A list of things rather than of words or numbers. */
function isList(value: unknown): value is object[] {
  return Array.isArray(value) && value.length > 0 ? value.every(isObject) : Array.isArray(value)
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?$/.test(value)
}

function isSecret(name: string): boolean {
  return /password|token|secret/i.test(name)
}

/** A value in which all times are the same. */
function steady(value: unknown): unknown {
  if (isTime(value)) return 'a time'
  if (Array.isArray(value)) return value.map(steady)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, steady(inner)]))
}

const salt = randomBytes(16)

/** Distinguishes credentials without revealing them. Tokens are random, so they are only counted. */
function shown(subject: string, value: unknown): string {
  if (isSecret(subject) && Array.isArray(value)) return String(value.length)
  if (isSecret(subject))
    return `set (fingerprint ${createHash('sha256').update(salt).update(String(value)).digest('hex').slice(0, 8)})`
  if (value === undefined || value === '') return 'none'
  if (typeof value === 'number') return subject.endsWith('credit') ? value.toFixed(2) : String(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function namesOf(before: Fields, after: Fields): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}

/** The items that the first list has more often than the second. */
function surplus(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return items.filter((item) => {
    const at = left.indexOf(item)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
