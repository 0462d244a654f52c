import { normalizeAccount } from '../scenario/normalizeAccount.ts'
import { change, isKind, nextDue } from '../world/change.ts'
import { draftedChange } from '../world/defaults.ts'
import { touched } from '../world/Draft.ts'
import { fieldsOf } from '../world/fields.ts'
import { addDuration, dateOf, type Instant, instantOf, lastInstant } from '../world/time.ts'
import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import { cents, money, mostMoney, subtract } from '../world/numbers.ts'
import type { Addition, Happened, TimelineEntry, World, WorldChange } from '../world/World.ts'

/** Most changes that one look at a world makes, half a second's worth: an advance that needs more is refused. */
export const mostAtOnce = 20_000

/** How many that have happened are kept */
const mostHistory = 100

/** A change that was due, as it happened. */
export interface DueChange {
  patch: WorldChange
  description: string
  /** Why nothing but the timeline has changed, if so */
  skipped?: string
}

/**
 * The world once everything has happened that is due by now. What is due is data of the world, so this is a function of
 * the two: whoever looks first, and however often anybody looked before, the world is the same. Costs nothing where
 * nothing is due; of more than `mostAtOnce` changes, the next look makes the rest.
 */
export function settle(
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
): { world: World; changes: DueChange[] } {
  const unfolding = new Unfolding(world, operations)
  const changes: DueChange[] = []
  while (changes.length < mostAtOnce) {
    const due = unfolding.due
    if (!due || due.at > now) break
    changes.push(unfolding.happen(due.id))
  }
  return { world: unfolding.world, changes }
}

/** How many changes are due by an instant, counted up to one more than `mostAtOnce`. */
export function countDue({ timeline }: World, by: Instant): number {
  let count = 0
  for (const { at, every, times = 1 } of timeline.values()) {
    let due = Date.parse(at)
    for (let left = every === undefined ? 1 : times; left > 0 && due <= by; left--) {
      if (++count > mostAtOnce) return count
      due = every === undefined ? due : later(due, every)
    }
  }
  return count
}

/** A world in which one entry of the timeline happens after the other. */
class Unfolding {
  #world: World
  readonly #operations: readonly FaultTarget[]
  /**
   * Usage that isn't in the world yet, by service and day: a service of many years has many days, and to copy them for each
   * day that is added takes longer than all the rest.
   */
  readonly #usage = new Map<string, Record<string, number>>()

  constructor(world: World, operations: readonly FaultTarget[]) {
    this.#world = world
    this.#operations = operations
  }

  /** What is due next. */
  get due(): { id: number; at: Instant } | undefined {
    return nextDue(this.#world)
  }

  get world(): World {
    if (this.#usage.size > 0) {
      const services = Object.fromEntries([...this.#usage].map(([id, stats]) => [id, { usage: { stats } }]))
      // The changes that it is of had their versions.
      this.#world = { ...change(this.#world, { services }), version: this.#world.version }
      this.#usage.clear()
    }
    return this.#world
  }

  /** Makes an entry happen, whatever the time: it leaves the timeline, or comes again. */
  happen(id: number): DueChange {
    const entry = this.#world.timeline.get(id) as TimelineEntry
    const at = Date.parse(entry.at)
    const isUsage = this.#addsUsageAlone(entry)
    if (!isUsage) this.#world = this.world
    const made = this.#effectOf(entry, at)
    const [effect, reason] = typeof made === 'string' ? [{}, made] : [made, undefined]
    const description = entry.description ?? describe(entry)
    const happened = { id, at: entry.at, description, ...(reason !== undefined && { reason }) }
    const past = { timeline: { [id]: following(entry, at) }, history: appended(this.#world, happened) }
    if (isUsage)
      for (const [service, used] of Object.entries(effect.services ?? {}))
        this.#usage.set(service, Object.assign(this.#usage.get(service) ?? {}, used?.usage?.stats))
    this.#world = change(this.#world, isUsage ? past : { ...effect, ...past })
    const skipped = reason !== undefined && { skipped: reason }
    return { patch: { ...effect, ...past }, description, ...skipped }
  }

  #addsUsageAlone({ patch, add }: TimelineEntry): boolean {
    const services = Object.keys(add?.services ?? {}).map((id) => this.#world.services.get(id))
    return !patch && add?.credit === undefined && services.every((one) => one?.usage?.rate === undefined)
  }

  /** The change that an entry makes besides that of the timeline, or why it makes none. */
  #effectOf({ patch: given = {}, add }: TimelineEntry, at: Instant): WorldChange | string {
    const world = this.#world
    const patch = normalizeAccount(given)
    const refused = gone(world, patch) ?? (add && this.#refusalOf(add, at))
    if (refused !== undefined) return refused
    const draft = { world, patch, named: touched({ ...world }, patch), isNew: false }
    const [issue] = checkDraft(draft, this.#operations)
    if (issue) return `${issue.path.join('.')}: ${issue.message}`
    const drafted = draftedChange(draft, at)
    if (!add) return drafted ?? {}
    if (!drafted && Object.keys(patch).length > 0) return 'it would change nothing'
    // A sum of amounts is an amount: there is nothing to check or to fill in.
    return mergePatch(drafted ?? {}, this.#added(add, at)) as WorldChange
  }

  #refusalOf({ credit = 0, services = {} }: Addition, at: Instant): string | undefined {
    const world = this.#world
    const missing = missingIn(world, { services })
    if (missing) return missing.reason
    for (const [id, { usage }] of Object.entries(services))
      if (this.#usedOn(id, dateOf(at)) + usage > mostMoney)
        return `usage of service ${id} would be more than ${mostMoney}`
    if (world.credit + credit > mostMoney) return `credit would be more than ${mostMoney}`
    if (cents(world.credit) + cents(credit) >= 0) return undefined
    return `credit ${money(world.credit)} is less than ${money(-credit)}`
  }

  #added({ credit, services = {} }: Addition, at: Instant): WorldChange {
    const day = dateOf(at)
    const added = Object.entries(services).map(([id, { usage }]) => {
      const { rate } = this.#world.services.get(id)?.usage ?? {}
      const stats = { [day]: this.#usedOn(id, day) + usage }
      return [id, { usage: rate === undefined ? { stats } : { stats, rate: rate + usage } }]
    })
    return {
      ...(credit !== undefined && { credit: subtract(this.#world.credit, -credit) }),
      ...(added.length > 0 && { services: Object.fromEntries(added) }),
    }
  }

  #usedOn(id: string, day: string): number {
    return this.#usage.get(id)?.[day] ?? this.#world.services.get(id)?.usage?.stats[day] ?? 0
  }
}

/** The entry as it is due next; null if that was the last time. */
function following(entry: TimelineEntry, at: Instant): TimelineEntry | null {
  const { every, times = 1 } = entry
  if (every === undefined || times <= 1) return null
  return { ...entry, at: instantOf(later(at, every)), times: times - 1 }
}

function later(at: Instant, every: string): Instant {
  return addDuration(at, every) ?? lastInstant
}

function appended({ history }: World, happened: Happened): Record<string, Happened | null> {
  const next = (history.lastId ?? 0) + 1
  const [oldest = 0] = history.keys()
  return { ...(history.size >= mostHistory && { [oldest]: null }), [next]: happened }
}

function describe({ patch, add }: TimelineEntry): string {
  return add && !patch ? 'usage was added' : `changed: ${Object.keys(patch ?? {}).join(', ')}`
}

/** A record that a patch is about and that isn't there: it brings less than a new one needs. */
function gone(world: World, patch: Readonly<Record<string, unknown>>): string | undefined {
  for (const [kind, records] of Object.entries(patch)) {
    if (!isKind(kind) || !isObject(records)) continue
    const required = fieldsOf(kind).filter(([, { isRequired }]) => isRequired)
    for (const [id, record] of Object.entries(records))
      if (isObject(record) && !world[kind].has(id) && required.some(([name]) => record[name] === undefined))
        return `there is no ${kind.slice(0, -1)} ${id}`
  }
  return undefined
}

/** A service that can't be used. */
function missingIn(world: World, { services = {} }: Addition): { id: string; reason: string } | undefined {
  for (const id of Object.keys(services)) {
    const service = world.services.get(id)
    if (!service) return { id, reason: `there is no service ${id}` }
    if (!service.usage)
      return { id, reason: `service ${id} is ${service.product_type}; usage is for ppr services only` }
  }
  return undefined
}

/** Why an entry could never apply to a world. */
export function missingIssues(
  world: World,
  { patch = {}, add = {} }: Pick<TimelineEntry, 'patch' | 'add'>,
): PathIssue[] {
  const message = gone(world, patch)
  if (message !== undefined) return [{ path: ['patch'], message }]
  const missing = missingIn(world, add)
  return missing ? [{ path: ['add', 'services', missing.id], message: missing.reason }] : []
}
