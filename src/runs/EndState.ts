import { createHash, randomBytes } from 'node:crypto'
import type { Contract } from '../contract/Contract.ts'
import { exportAccount } from '../scenario/exportScenario.ts'
import { localState, type Simulation } from '../Simulation.ts'
import type { StoreEvent } from '../store/Store.ts'
import { realTime } from '../world/time.ts'
import { change } from '../world/change.ts'
import { isObject } from '../world/mergePatch.ts'
import { Table } from '../world/Table.ts'
import type { World, WorldChange } from '../world/World.ts'
import { surplus, type Effect } from './compareEndStates.ts'

type Fields = Record<string, unknown>

/** An account's world, from when it is loaded or created until it is replaced or deleted. */
interface Life {
  /** The login; accounts that the client created share one name, as their logins differ per run */
  who: string
  /** As it began, with all that the timeline has changed since, which the client didn't do, and each record that was added */
  begun: World
  /** The added records by kind and id, named after what they were at first */
  added: Map<string, string>
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
      for (const [id, record] of Object.entries(records)) {
        if (!isObject(record) || known.has(Number(id))) continue
        life.added.set(`${kind} ${id}`, this.#describe(steady(record)))
        life.begun = change(life.begun, { [kind]: { [id]: record } })
      }
    }
  }

  #beginAll(): void {
    for (const [login, world] of localState(this.#simulation).accounts) this.#begin(login, world)
  }

  #begin(login: string, world: World): void {
    const who = world.origin.token === undefined ? login : 'accounts it created'
    this.#lives.set(login, { who, begun: world, added: new Map(), world, credit: world.credit })
  }

  #end(login: string): void {
    const life = this.#lives.get(login)
    if (life) this.#past.push(...this.#effectsIn(life))
    this.#lives.delete(login)
  }

  #effectsIn({ who, begun, added, world }: Life): Effect[] {
    const [before, after] = [begun, world].map((one) => steady(exportAccount(one, realTime()))) as [
      Fields,
      Fields,
    ]
    const results = Object.keys(after).filter((name) => !notResults.has(name))
    return results.flatMap((name) =>
      this.#compare(name, before[name], after[name], added).map((effect) => ({
        ...effect,
        subject: `${who}: ${effect.subject}`,
      })),
    )
  }

  #compare(subject: string, before: unknown, after: unknown, added?: Life['added']): Effect[] {
    if (isRecords(before) && isRecords(after))
      return namesOf(before, after).flatMap((id): Effect[] => {
        const noun = subject.replace(/s$/, '')
        const name = added?.get(`${subject} ${id}`)
        const record = name === undefined ? `${noun} ${id}` : `new ${noun} ${name}`
        return [
          ...(name === undefined ? [] : [{ subject: record, value: 'added', isNew: true }]),
          ...(after[id]
            ? this.#compare(record, before[id], after[id])
            : [{ subject: record, value: 'removed' }]),
        ]
      })
    if (JSON.stringify(before) === JSON.stringify(after)) return []
    if (isObject(before) && isObject(after))
      return namesOf(before, after).flatMap((name) =>
        this.#compare(`${subject} ${name}`, before[name], after[name]),
      )
    if (isList(before) && isList(after)) {
      const [old, now] = [before, after].map((list) =>
        list.map((item) => ({ subject, value: this.#describe(item) })),
      ) as [Effect[], Effect[]]
      return surplus(old, now).flatMap(({ value, count }) =>
        Array.from({ length: Math.abs(count) }, () => ({
          subject,
          value: `${count < 0 ? 'without' : 'with'} ${value}`,
        })),
      )
    }
    return [{ subject, value: shown(subject, after) }]
  }

  /** A new record or item by those of its fields that don't differ per run. */
  #describe(record: unknown): string {
    if (!isObject(record)) return shown('', record)
    const fields = Object.entries(record).filter(
      ([name, value]) =>
        !this.#generated.has(name) &&
        !isSecret(name) &&
        value !== aTime &&
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
  const added = typeof credit === 'number' && { credit: life.begun.credit + credit - life.credit }
  life.begun = change(life.begun, { ...patch, ...added })
}

/** Parts of a world that are not results of what a client does. */
const notResults = new Set(['seed', 'clock', 'faults', 'next', 'timeline', 'history'])

const aTime = 'a time'

/** A copy in which all times are the same. */
function steady(value: object): Fields {
  return JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
    typeof inner === 'string' && /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?$/.test(inner) ? aTime : inner,
  ) as Fields
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

function isSecret(name: string): boolean {
  return /password|token|secret/i.test(name)
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
