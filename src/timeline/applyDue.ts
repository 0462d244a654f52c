import { normalizeAccount } from '../scenario/normalizeAccount.ts'
import { change, isKind, nextDue } from '../world/change.ts'
import { draftedChange } from '../service/defaults.ts'
import { draftOf } from '../world/Draft.ts'
import { fieldsOf } from '../service/records.ts'
import { checkDraft, type FaultTarget, type PathIssue } from '../service/invariants.ts'
import { isObject, mergePatch } from '../world/mergePatch.ts'
import { cents, money, maxMoney, subtract } from '../world/numbers.ts'
import { addDuration, dateOf, type Instant, instantOf, lastInstant } from '../world/time.ts'
import type { Addition, TimelineEntry, World, WorldChange } from '../world/World.ts'

/** The most changes that a step of the clock may make due; a larger step is refused. */
export const maxDue = 20_000

/** How many past events an account lists. */
const maxHistory = 100

/** A change that was due, as it was applied. */
export interface DueChange {
  patch: WorldChange
  description: string
  /** Why nothing but the timeline has changed, if so */
  skipped?: string
}

/**
 * Applies what is due by `now`, soonest first. What is due is data of the world, so the result depends on world and time
 * alone, whoever asks and however often.
 * @param isPaused whether to stop before the next change, so that others get their turn
 * @returns the world, the changes that led to it, and whether nothing is due any more
 */
export function applyDue(
  world: World,
  now: Instant,
  operations: readonly FaultTarget[],
  isPaused: () => boolean = () => false,
): { world: World; changes: DueChange[]; isComplete: boolean } {
  const changes: DueChange[] = []
  let applied = world
  for (;;) {
    const due = nextDue(applied)
    if (!due || due.at > now) return { world: applied, changes, isComplete: true }
    if (changes.length > 0 && isPaused()) return { world: applied, changes, isComplete: false }
    const made = happen(applied, due.id, operations)
    changes.push(made)
    applied = change(applied, made.patch)
  }
}

/** How many changes are due by an instant, counted up to one more than `maxDue`. */
export function countDue({ timeline }: World, by: Instant): number {
  let count = 0
  for (const { at, every, times = 1 } of timeline.values()) {
    let due = Date.parse(at)
    for (let left = every === undefined ? 1 : times; left > 0 && due <= by; left--) {
      if (++count > maxDue) return count
      due = every === undefined ? due : later(due, every)
    }
  }
  return count
}

/** Makes an entry happen, whatever the time: it leaves the timeline, or comes again. */
function happen(world: World, id: number, operations: readonly FaultTarget[]): DueChange {
  const entry = world.timeline.get(id) as TimelineEntry
  const { at, patch = {}, add, every, times = 1 } = entry
  const instant = Date.parse(at)
  const {
    description = add && !entry.patch ? 'usage was added' : `changed: ${Object.keys(patch).join(', ')}`,
  } = entry
  const made = effectOf(world, normalizeAccount(patch), add, instant, operations)
  const [effect, skipped] = typeof made === 'string' ? [{}, { skipped: made }] : [made, {}]
  const again = every !== undefined && times > 1
  const next = again ? { ...entry, at: instantOf(later(instant, every)), times: times - 1 } : null
  const { history } = world
  const [oldest = 0] = history.keys()
  const happened = { id, at, description, ...(typeof made === 'string' && { reason: made }) }
  return {
    patch: {
      ...effect,
      timeline: { [id]: next },
      history: {
        ...(history.size >= maxHistory && { [oldest]: null }),
        [(history.lastId ?? 0) + 1]: happened,
      },
    },
    description,
    ...skipped,
  }
}

/** The change that an entry makes besides that of the timeline, or why it makes none. */
function effectOf(
  world: World,
  patch: Readonly<Record<string, unknown>>,
  add: Addition | undefined,
  at: Instant,
  operations: readonly FaultTarget[],
): WorldChange | string {
  const [missing] = missingIssues(world, { patch, ...(add && { add }) })
  if (missing) return missing.message
  const draft = draftOf(world, patch, at)
  const [issue] = checkDraft(draft, operations)
  if (issue) return `${issue.path.join('.')}: ${issue.message}`
  const drafted = draftedChange(draft, at)
  if (!add) return drafted ?? {}
  if (!drafted && Object.keys(patch).length > 0) return 'it would change nothing'
  const patched = drafted ? change(world, drafted) : world
  const { credit = 0 } = add
  if (cents(patched.credit) + cents(credit) < 0)
    return `credit ${money(patched.credit)} is less than ${money(-credit)}`
  if (cents(patched.credit) + cents(credit) > cents(maxMoney))
    return `credit ${money(patched.credit)} and ${money(credit)} are more than ${money(maxMoney)}`
  // A sum of amounts is an amount: there is nothing to check or to fill in.
  return mergePatch(drafted ?? {}, added(patched, add, dateOf(at, world.assumptions.timeZone))) as WorldChange
}

/** An addition as a patch. */
function added(world: World, { credit, services = {} }: Addition, day: string): WorldChange {
  const used = Object.entries(services).map(([id, { usage }]) => {
    const { rate, stats } = world.services.get(id)?.usage ?? {}
    const sum = (before = 0): number => Math.min(before + usage, maxMoney)
    return [
      id,
      { usage: { stats: { [day]: sum(stats?.[day]) }, ...(rate !== undefined && { rate: sum(rate) }) } },
    ]
  })
  return {
    ...(credit !== undefined && { credit: subtract(world.credit, -credit) }),
    ...(used.length > 0 && { services: Object.fromEntries(used) }),
  }
}

function later(at: Instant, every: string): Instant {
  return addDuration(at, every) ?? lastInstant
}

/** Records and services that an entry is about and that aren't there, or can't be used so. */
export function missingIssues(
  world: World,
  { patch = {}, add }: Pick<TimelineEntry, 'patch' | 'add'>,
): PathIssue[] {
  for (const [kind, records] of Object.entries(patch)) {
    if (!isKind(kind) || !isObject(records)) continue
    // Of a record that isn't there, a patch brings less than a new one needs.
    const required = fieldsOf(kind).filter(([, { isRequired }]) => isRequired)
    for (const [id, record] of Object.entries(records))
      if (isObject(record) && !world[kind].has(id) && required.some(([name]) => record[name] === undefined))
        return [{ path: ['patch'], message: `there is no ${kind.slice(0, -1)} ${id}` }]
  }
  for (const id of Object.keys(add?.services ?? {})) {
    const service = world.services.get(id)
    if (service?.usage) continue
    const message = service
      ? `service ${id} is ${service.product_type}; usage is for ppr services only`
      : `there is no service ${id}`
    return [{ path: ['add', 'services', id], message }]
  }
  return []
}
