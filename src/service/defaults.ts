import { findFreeAddress } from './addresses.ts'
import { diffParts, touchedParts } from '../world/change.ts'
import { type Draft, type DraftInput, recordsAfter } from './draft.ts'
import { fillRecord, getNoun, getOwners, type Sources } from './records.ts'
import { type RenewalChange, renewalChange } from './renewals.ts'
import { isObject } from '../world/mergePatch.ts'
import { nextIdAfter } from '../world/numbers.ts'
import { addDuration, type ClockSetting, type Instant, toIsoString, lastInstant } from '../world/time.ts'
import { firstIds, isCounted } from './settings.ts'
import { defaultAssumptions, defaultUpdateListInterval } from './values.ts'
import {
  type Kind,
  kinds,
  type EntryInput,
  type ServiceInput,
  type WorldInput,
  type NextIds,
  type TableName,
  tables,
  type TimelineEntry,
  type WorldChange,
  type WorldData,
} from '../world/World.ts'

/*
 * The defaults of missing fields, for scenarios, patches, orders and faults. Complete values stay unchanged, so that an
 * exported world loads unchanged.
 */

export function emptyWorld(password: string, seed: number | undefined, clock: ClockSetting): WorldData {
  return {
    version: 0,
    origin: { load: 0 },
    seed: seed ?? 1,
    password,
    tokens: [],
    credit: 0,
    ...(Object.fromEntries(tables.map((name) => [name, {}])) as Pick<WorldData, TableName>),
    limits: { updateListInterval: defaultUpdateListInterval },
    assumptions: { ...defaultAssumptions },
    confirmed: [],
    clock,
    next: { ...firstIds },
  }
}

const settings = ['password', 'tokens', 'credit', 'seed', 'assumptions', 'confirmed', 'limits'] as const

/** All changed parts of a draft, with defaults filled in, and the renewals among them. */
interface FilledDraft {
  filled: Partial<WorldData>
  renewals: RenewalChange
}

/** The parts of a new world. */
export function fillDraft(draft: Draft, now: Instant): Partial<WorldData> {
  return fillParts(draft, now).filled
}

/** Records depend on the settings, and renewals on the records. */
function fillParts(draft: Draft, now: Instant): FilledDraft {
  const { world, input } = draft
  const isPatched = createPartCheck(draft)
  // Each part advances the id counters that it uses.
  const next = { ...world.next, ...input.next }
  const filled: Partial<WorldData> = { next, ...fillSettings(draft) }
  for (const kind of kinds.filter(isPatched))
    Object.assign(filled, { [kind]: fillRecords(draft, kind, filled, next, now) })
  if (isPatched('faults')) filled.faults = fillFaults(input.faults, next)
  if (isPatched('timeline')) filled.timeline = fillTimeline(input.timeline, next, now)
  if (isPatched('history')) filled.history = { ...input.history }
  const renewals = renewalChange(draft, filled, next, now)
  for (const [id, entry] of Object.entries(renewals)) {
    filled.timeline ??= {}
    if (entry) filled.timeline[id] = entry
    else delete filled.timeline[id]
  }
  return { filled, renewals }
}

/** Returns a function that checks whether the patch contains a part of the world. */
function createPartCheck({ patch }: Draft): (part: keyof WorldInput) => boolean {
  return (part) => Object.hasOwn(patch, part)
}

function fillSettings(draft: Draft): Partial<WorldData> {
  const { world, input } = draft
  const empty = emptyWorld(world.password, undefined, world.clock)
  const parts = settings.filter(createPartCheck(draft)).map((part) => {
    const value = input[part] ?? empty[part]
    return [part, isObject(value) ? { ...Object(empty[part]), ...value } : value]
  })
  return Object.fromEntries(parts) as Partial<WorldData>
}

/** @param filled the parts that are already complete: settings and parent records */
function fillRecords(
  draft: Draft,
  kind: Kind,
  filled: Partial<WorldData>,
  next: NextIds,
  now: Instant,
): Record<string, unknown> {
  const { world, input } = draft
  const { seed = world.seed, assumptions: { timeZone } = world.assumptions } = filled
  const getSources =
    kind === 'services' ? serviceSources(draft, next, seed) : recordSources(draft, filled, kind)
  const records: Record<string, unknown> = {}
  const noun = getNoun(kind)
  for (const [id, record] of Object.entries((input[kind] ?? {}) as Record<string, ServiceInput>)) {
    records[id] = fillRecord(kind, record, { id, seed, now, timeZone, ...getSources(id, record) })
    if (isCounted(noun)) advance(next, noun, Number(id))
  }
  return records
}

function fillFaults(faults: DraftInput['faults'] = {}, next: NextIds): WorldData['faults'] {
  for (const id of Object.keys(faults)) advance(next, 'fault', Number(id))
  const initial = { phase: 'before', seen: 0, used: 0 } as const
  return Object.fromEntries(
    Object.entries(faults).map(([key, { id: _id, ...fault }]) => [key, { ...initial, ...fault }]),
  )
}

function fillTimeline(
  timeline: DraftInput['timeline'] = {},
  next: NextIds,
  now: Instant,
): WorldData['timeline'] {
  for (const id of Object.keys(timeline)) advance(next, 'timeline', Number(id))
  return Object.fromEntries(Object.entries(timeline).map(([id, entry]) => [id, fillEntry(entry, now)]))
}

/** Advances a counter past an id, if an id is given. */
function advance(next: NextIds, kind: keyof NextIds, id = 0): void {
  next[kind] = nextIdAfter(next[kind], id)
}

/** Returns a function that returns the sources for completing a record of a kind. */
function recordSources({ world, patch }: Draft, filled: Partial<WorldData>, kind: Kind) {
  return (id: string, record: object): Partial<Sources> => {
    const [[field, owner] = ['', kind] as const] = getOwners(kind)
    const ownerId = String((record as Record<string, unknown>)[field])
    const ownerPatch = patch[owner]
    const isRemoved = ownerPatch === null || (isObject(ownerPatch) && ownerPatch[ownerId] === null)
    return {
      before: world[kind].get(id),
      owner: filled[owner]?.[ownerId] ?? (isRemoved ? undefined : world[owner].get(ownerId)),
    }
  }
}

/** Returns a function that returns the sources for completing a service. @param next counters, advanced past the ids of orders */
function serviceSources(draft: Draft, next: NextIds, seed: number) {
  const { world, input, isNew } = draft
  const { products, services } = recordsAfter(draft)
  const orders = new Set(Object.values(input.services ?? {}).map(({ orderid }) => orderid))
  for (const orderid of orders) advance(next, 'order', orderid)
  const bound = new Set<string>()
  return (id: string, { product }: ServiceInput): Partial<Sources> => ({
    owner: products.get(product),
    newOrder: () => {
      // In a new world, the order id is derived from the service's id, so that an added service doesn't renumber other orders.
      const derivedId = Number(id) + firstIds.order - firstIds.service
      const orderid = isNew && !orders.has(derivedId) ? derivedId : next.order
      orders.add(orderid)
      advance(next, 'order', orderid)
      return orderid
    },
    newAddress: () => {
      if (world.services.has(id)) return '' // the patch removes it
      const isTaken = (ip: string): boolean => bound.has(ip) || services.findIds(ip).length > 0
      const ip = findFreeAddress([seed, 'bindedip', id], isTaken) ?? ''
      bound.add(ip)
      return ip
    },
  })
}

/** Completes a timeline entry with its due time. @param now the time that `after` counts from */
export function fillEntry({ id: _id, at, after, ...entry }: EntryInput, now: Instant): TimelineEntry {
  const due = at === undefined ? addDuration(now, after ?? 'PT0S') : Date.parse(at)
  return { at: toIsoString(due ?? lastInstant), ...entry }
}

/**
 * The change that a checked draft makes, with defaults filled in and without unchanged fields; undefined if it
 * changes nothing.
 * @param extra more settings to change
 */
export function draftedChange(
  draft: Draft,
  now: Instant,
  extra: Partial<WorldData> = {},
): WorldChange | undefined {
  const { filled, renewals } = fillParts(draft, now)
  const { patch, world } = draft
  const parts = { ...filled, ...extra }
  const touched: Record<string, unknown> = Object.fromEntries(
    Object.keys(parts).map((key) => [key, patch[key]]),
  )
  if (filled.timeline && patch['timeline'] !== null)
    touched['timeline'] = { ...Object(patch['timeline']), ...renewals }
  return diffParts(touchedParts(world, touched), parts)
}
