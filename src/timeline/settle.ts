import { normalizeAccount } from '../scenario/normalizeAccount.ts'
import { change, isKind, nextDue } from '../world/change.ts'
import { draftedChange } from '../world/defaults.ts'
import { touched } from '../world/Draft.ts'
import { addDuration, dateOf, type Instant, instantOf, lastInstant } from '../world/time.ts'
import { checkDraft, type FaultTarget, type PathIssue } from '../world/invariants.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import { cents, money, mostMoney, subtract } from '../world/numbers.ts'
import type { Addition, Happened, Kind, TimelineEntry, World, WorldChange } from '../world/World.ts'

/** Most changes of a world that one look at it makes: an advance that needs more is refused. */
export const mostAtOnce = 100_000

/** How many that have happened are kept */
const mostHistory = 100

/** A change that was due, as it happened. */
export interface DueChange {
  patch: WorldChange
  description: string
  /** Why nothing but the timeline has changed, if so */
  skipped?: string
}

export interface Settled {
  world: World
  changes: DueChange[]
}

/**
 * The world once everything has happened that is due by now. What is due is data of the world, so this is a function of
 * the two: whoever looks first, and however often anybody looked before, the world is the same. Costs nothing where
 * nothing is due.
 */
export function settle(world: World, now: Instant, operations: readonly FaultTarget[]): Settled {
  let settled = world
  const changes: DueChange[] = []
  const used: Used = new Map()
  for (
    let due = nextDue(settled);
    due && due.at <= now && changes.length < mostAtOnce;
    due = nextDue(settled)
  ) {
    const isUsage = addsUsageAlone(settled, due.id)
    if (!isUsage) settled = withUsage(settled, used)
    const made = happen(settled, due.id, operations, used)
    changes.push(made)
    if (isUsage) {
      const { services, ...rest } = made.patch
      settled = change(settled, rest)
      note(used, services)
    } else settled = change(settled, made.patch)
  }
  return { world: withUsage(settled, used), changes }
}

/**
 * Usage that isn't in the world yet, by service and day: a service of many years has many days, and to copy them for each
 * day that is added takes longer than all the rest.
 */
type Used = Map<string, Record<string, number>>

function addsUsageAlone({ timeline, services }: World, id: number): boolean {
  const { patch, add } = timeline.get(id) ?? {}
  return (
    patch === undefined &&
    add?.credit === undefined &&
    Object.keys(add?.services ?? {}).every((one) => services.get(one)?.usage?.rate === undefined)
  )
}

function note(used: Used, services: WorldChange['services']): void {
  for (const [id, service] of Object.entries(services ?? {}))
    used.set(id, Object.assign(used.get(id) ?? {}, service?.usage?.stats))
}

/** The world with the usage, which is of changes that have their versions. */
function withUsage(world: World, used: Used): World {
  if (used.size === 0) return world
  const services = Object.fromEntries([...used].map(([id, stats]) => [id, { usage: { stats } }]))
  used.clear()
  return { ...change(world, { services }), version: world.version }
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

/** The world once the next that is due has happened, whatever the time. */
export function skipToNext(world: World, operations: readonly FaultTarget[]): World {
  const due = nextDue(world)
  return due ? change(world, happen(world, due.id, operations).patch) : world
}

/** What makes an entry happen: its change, and that it leaves the timeline or comes again. */
function happen(
  world: World,
  id: number,
  operations: readonly FaultTarget[],
  used: Used = new Map(),
): DueChange {
  const entry = world.timeline.get(id) as TimelineEntry
  const at = Date.parse(entry.at)
  const description = entry.description ?? describe(entry)
  const { patch, reason } = effectOf(world, entry, at, operations, used)
  const happened: Happened = { id, at: entry.at, description, ...(reason !== undefined && { reason }) }
  const all = { ...patch, timeline: { [id]: following(entry, at) }, history: appended(world, happened) }
  return { patch: all, description, ...(reason !== undefined && { skipped: reason }) }
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

interface Effect {
  patch?: WorldChange | undefined
  /** Why there is none */
  reason?: string
}

function effectOf(
  world: World,
  { patch: given = {}, add }: TimelineEntry,
  at: Instant,
  operations: readonly FaultTarget[],
  used: Used,
): Effect {
  const patch = normalizeAccount(given)
  const refused = gone(world, patch) ?? cannotAdd(world, add, at, used)
  if (refused !== undefined) return { reason: refused }
  const draft = { world, patch, named: touched({ ...world }, patch), isNew: false }
  const [issue] = checkDraft(draft, operations)
  if (issue) return { reason: `${issue.path.join('.')}: ${issue.message}` }
  const drafted = draftedChange(draft, at)
  if (!add) return { patch: drafted }
  if (!drafted && Object.keys(patch).length > 0) return { reason: 'it would change nothing' }
  // A sum of amounts is an amount: there is nothing to check or to fill in.
  return { patch: mergePatch(drafted ?? {}, addition(world, add, at, used)) as WorldChange }
}

/** What a new record needs; an entry that brings less is about a record that is there. */
const required: { readonly [K in Kind]: readonly string[] } = {
  clients: [],
  products: ['productName', 'price', 'product_type'],
  services: ['client', 'product'],
  invoices: ['serviceid'],
}

function gone(world: World, patch: Readonly<Record<string, unknown>>): string | undefined {
  for (const [kind, records] of Object.entries(patch)) {
    if (!isKind(kind) || !isObject(records)) continue
    for (const [id, record] of Object.entries(records)) {
      if (world[kind].has(id) || !isObject(record)) continue
      if (required[kind].some((field) => record[field] === undefined))
        return `there is no ${kind.slice(0, -1)} ${id}`
    }
  }
  return undefined
}

function cannotAdd(world: World, add: Addition | undefined, at: Instant, used: Used): string | undefined {
  for (const [id, { usage }] of Object.entries(add?.services ?? {})) {
    const service = world.services.get(id)
    if (!service) return `there is no service ${id}`
    if (!service.usage) return `service ${id} is ${service.product_type}; usage is for ppr services only`
    if (usedOn(world, id, dateOf(at), used) + usage > mostMoney)
      return `usage of service ${id} would be more than ${mostMoney}`
  }
  const { credit = 0 } = add ?? {}
  if (world.credit + credit > mostMoney) return `credit would be more than ${mostMoney}`
  if (cents(world.credit) + cents(credit) < 0)
    return `credit ${money(world.credit)} is less than ${money(-credit)}`
  return undefined
}

function addition(
  world: World,
  { credit, services = {} }: Addition,
  at: Instant,
  used: Used,
): Record<string, unknown> {
  const day = dateOf(at)
  const added = Object.entries(services).map(([id, { usage }]) => {
    const { rate } = world.services.get(id)?.usage ?? {}
    const stats = { [day]: usedOn(world, id, day, used) + usage }
    return [id, { usage: rate === undefined ? { stats } : { stats, rate: rate + usage } }]
  })
  return {
    ...(credit !== undefined && { credit: subtract(world.credit, -credit) }),
    ...(added.length > 0 && { services: Object.fromEntries(added) }),
  }
}

function usedOn(world: World, id: string, day: string, used: Used): number {
  return used.get(id)?.[day] ?? world.services.get(id)?.usage?.stats[day] ?? 0
}

function describe({ patch, add }: TimelineEntry): string {
  return add && !patch ? 'usage was added' : `changed: ${Object.keys(patch ?? {}).join(', ')}`
}

/** Why an entry could never apply to the present world. */
export function missingIssues(
  world: World,
  { patch = {}, add }: Pick<TimelineEntry, 'patch' | 'add'>,
): PathIssue[] {
  const missing = gone(world, patch)
  if (missing !== undefined) return [{ path: ['patch'], message: missing }]
  const issues: PathIssue[] = []
  for (const id of Object.keys(add?.services ?? {})) {
    const message = cannotAdd(world, { services: { [id]: { usage: 0 } } }, 0, new Map())
    if (message !== undefined) issues.push({ path: ['add', 'services', id], message })
  }
  return issues
}
