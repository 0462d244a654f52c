import { type Kind, kinds, type RecordsInput, type Records } from '../service/records.ts'
import type { Table } from './Table.ts'
import type { ClockSetting } from './time.ts'
import type { FaultEffects } from '../faults/effects/effects.ts'
import type { AccountFields, AccountInput, TransitionNames } from '../service/settings.ts'

export { kinds }
export { interpretationOf } from '../service/settings.ts'
export type * from '../service/records.ts'
export type * from '../service/settings.ts'

/** All that a world has by id */
export interface Tables extends Records {
  /** What is due */
  timeline: TimelineEntry
  /** What has happened by itself, the last 100 */
  history: TimelineEvent
}

export type TableName = keyof Tables

export const tables = [...kinds, 'timeline', 'history'] as const satisfies readonly TableName[]

/**
 * One account's world: everything it owns. It is the unit of consistency, isolation and persistence, and it is a value:
 * it never changes, `change` gives another one. Field names are the contract's (`bindedip`, `nextduedate`, `orderid`,
 * `serviceid`…).
 */
export interface World extends Readonly<WorldSettings>, Readonly<{ [K in TableName]: Table<Tables[K]> }> {}

/** A world as JSON: in the state file, in a shared store and in the making. */
export type WorldData = WorldSettings & { [K in TableName]: Record<string, Tables[K]> }

/** All of a world but its tables */
export interface WorldSettings extends AccountFields {
  /** Number of changes since the world was loaded */
  version: number
  origin: Origin
  /** Seed of everything generated in this world */
  seed: number
  /** Password for HTTP Basic authentication */
  password: string
  /** API tokens; each is accepted in place of the password. */
  tokens: readonly string[]
  /** The assumptions of which recordings, or the provider, have shown that they hold */
  confirmed: readonly string[]
  faults: readonly FaultSettings[]
  /** How often each fault has counted a request, by id; absent: never */
  faultCounts: Readonly<Record<string, FaultCounts>>
  clock: ClockSetting
}

/** Where a world came from. All that descend from one load share it. */
export interface Origin {
  /** Number of the load, creation or reset that put the world in place, which the storage assigns; 0: the start */
  load: number
  /** Number of the rewind since, if any: what was before it and what is after it don't belong together */
  rewind?: number
  /** What rewinds undid, the last 100: the versions between these two */
  undone?: readonly (readonly [after: number, before: number])[]
  /** Only accounts created at runtime: the scenario whose first account they started as; null: the loaded one */
  scenario?: string | null
  /** Only accounts created at runtime: the token and the password issued with the account */
  token?: string
  password?: string
}

/**
 * A change that is due once the account's clock reaches `at`. It has one of `patch`, `add`, `activate`, `pay` and `renew`.
 */
export interface TimelineEntry extends TransitionNames {
  /** ISO 8601 with milliseconds */
  at: string
  /** A merge patch on the world, in the format of scenario accounts */
  patch?: Readonly<Record<string, unknown>>
  /** ISO 8601 duration after which it is due again, `times` in all */
  every?: string
  /** How often it is still due */
  times?: number
  /** When it was due first, if it has been due before: the next one is `done` + 1 times `every` later */
  first?: string
  /** How often it has been due */
  done?: number
  description?: string
}

/** An entry of the timeline that was due. */
export interface TimelineEvent {
  /** Of the entry */
  id: number
  /** When it was due */
  at: string
  description?: string
  /** Why it was skipped, if it was */
  reason?: string
}

/** Whether a fault triggers before the operation is carried out, or after. */
export const faultPhases = ['before', 'after'] as const

export type FaultPhase = (typeof faultPhases)[number]

/** An active fault. Its counters are state, so resets and restores include them. */
export interface Fault extends FaultSettings, FaultCounts {}

export interface FaultCounts {
  /** Matching requests so far */
  seen: number
  /** How often it has triggered */
  used: number
}

/** A fault without its counters */
export interface FaultSettings extends FaultEffects {
  id: number
  /** An operationId, or `*` for every operation */
  operation: string
  /** Only triggers on requests that have all these path parameters and body fields */
  match?: { path?: Record<string, string | number>; body?: unknown }
  /**
   * `before`: if the response is dropped or replaced, the operation isn't carried out. `after`: it is carried out first.
   * @default 'before'
   */
  phase: FaultPhase
  /** Number of matching requests that pass first. @default 0 */
  after?: number
  /** How often it triggers before it is exhausted. @default unlimited */
  times?: number
  /** 0 to 1; the account's seed makes it reproducible. @default 1 */
  probability?: number
}

/**
 * A world as somebody describes it, with records by id: what is left out is filled in (`defaults.ts`). A complete world is
 * one too.
 */
export interface WorldInput
  extends AccountInput,
    Readonly<{ [K in Kind]?: Record<string, RecordsInput[K]> }> {
  /** Password for HTTP Basic authentication */
  password: string
  /** API tokens, each accepted in place of the password. @default [] */
  tokens?: string[]
  /** Seed of everything that is generated; defaults to the scenario's */
  seed?: number
  /** The assumptions that are known to hold. @default [] */
  confirmed?: string[]
  /** Tried in this order. @default [] */
  faults?: FaultInput[]
  /** What is due, and when. @default [] */
  timeline?: EntryInput[]
  /** What has happened by itself, the oldest first */
  history?: TimelineEvent[]
}

/** An entry of the timeline: `after` counts from the load, or from when it is added. */
export type EntryInput = Omit<TimelineEntry, 'at'> & { id?: number; at?: string; after?: string }

type Assigned = 'id' | 'phase' | 'seen' | 'used'

export type FaultInput = Omit<Fault, Assigned> & Partial<Pick<Fault, Assigned>>

/** A JSON Merge Patch of T (RFC 7386): sets the given fields, and null removes. */
export type PatchOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: PatchOf<T[K]> | null }
    : T

/** How an operation changes a world. */
export type WorldChange = PatchOf<WorldData>
