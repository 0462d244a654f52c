import { type Kind, kinds, type RecordsInput, type Records } from '../service/records.ts'
import { type EntryMap, entryParts } from './entries.ts'
import type { Table } from './Table.ts'
import type { ClockSetting } from './time.ts'
import type { FaultEffects } from '../faults/effects/effects.ts'
import type { AccountFields, AccountInput, TransitionNames } from '../service/settings.ts'

export { kinds }
export { getInterpretation } from '../service/settings.ts'
export type * from '../service/records.ts'
export type * from '../service/settings.ts'

/** The records of each table of a world */
export interface Tables extends Records {
  /** Active faults, tried in this order */
  faults: StoredFault
  /** Scheduled changes */
  timeline: TimelineEntry
  /** Past changes by the timeline, at most 100 */
  history: TimelineEvent
}

export type TableName = keyof Tables

export const tables = [...kinds, ...entryParts] as const satisfies readonly TableName[]

/**
 * One account's world: everything it owns. It is the unit of consistency, isolation and persistence. It is an immutable value:
 * `applyPatch` returns a new one. Field names are the contract's (`bindedip`, `nextduedate`, `orderid`,
 * `serviceid`…).
 */
export interface World extends Readonly<WorldSettings>, Readonly<{ [K in TableName]: Table<Tables[K]> }> {}

/** A world as JSON, as in the state file and in a shared store. */
export type WorldData = WorldSettings & { [K in TableName]: Record<string, Tables[K]> }

/** A world without its tables */
export interface WorldSettings extends AccountFields {
  /** Number of changes since the world was loaded */
  version: number
  origin: Origin
  /** Seed of all generated values in this world */
  seed: number
  /** Password for HTTP Basic authentication */
  password: string
  /** API tokens; each is accepted instead of the password. */
  tokens: readonly string[]
  /** Confirmed assumptions, shown by recordings or stated by the provider */
  confirmed: readonly string[]
  clock: ClockSetting
}

/** The origin of a world. All versions of a world since a load share it, except for what rewinds change. */
export interface Origin {
  /** Number of the load, creation or reset that created the world, assigned by the store; 0 at the start */
  load: number
  /** Number of the last rewind, if any. Requests before and after it aren't comparable */
  rewind?: number
  /** Version ranges that rewinds have undone, with the id of the first undone request, at most 100 */
  undone?: readonly (readonly [after: number, before: number, firstId?: number])[]
  /** Whether the account was created at runtime */
  created?: boolean
  /** Only for accounts created at runtime: the scenario whose first account they started as; null for the current one */
  scenario?: string | null
  /** Only for accounts created at runtime: the token and the password issued with the account */
  token?: string
  password?: string
  /** Only for accounts created at runtime: a name that people know, such as a test's */
  label?: string
}

/**
 * A change that is applied once the account's clock reaches `at`. Each entry has one of `patch`, `add`, `activate`, `pay` and `renew`.
 */
export interface TimelineEntry extends TransitionNames {
  /** ISO 8601 with milliseconds */
  at: string
  /** A merge patch on the world, in the format of scenario accounts */
  patch?: Readonly<Record<string, unknown>>
  /** ISO 8601 duration between repetitions, `times` in all */
  every?: string
  /** Number of remaining repetitions */
  times?: number
  /** First due time, set once the entry has been applied: `at` is `done` times `every` later */
  first?: string
  /** Number of times it was applied */
  done?: number
  description?: string
}

/** A timeline entry that came due. */
export interface TimelineEvent {
  /** Id of the entry */
  id: number
  /** ISO 8601 time when the entry was due */
  at: string
  description?: string
  /** The reason, if it was skipped */
  reason?: string
  /** Its effect on the credit, or that a renewal was not paid: `credit -20.00`, `not paid: Suspended` */
  effect?: string
}

/** Whether a fault triggers before or after the operation is executed. */
export const faultPhases = ['before', 'after'] as const

export type FaultPhase = (typeof faultPhases)[number]

/** An active fault. */
export interface Fault extends StoredFault {
  id: number
}

/** A fault without its id. Its counters are state, so resets and restores include them. */
export interface StoredFault extends FaultEffects {
  /** An operationId, or `*` for every operation */
  operation: string
  /** Only triggers on requests that have all these path parameters and body fields */
  match?: { path?: Record<string, string | number>; body?: unknown }
  /**
   * `before`: if the response is dropped or replaced, the operation isn't executed. `after`: it is executed first.
   * @default 'before'
   */
  phase: FaultPhase
  /** Number of matching requests that pass first. @default 0 */
  after?: number
  /** Maximum number of times it triggers; then it is exhausted. @default unlimited */
  times?: number
  /** 0 to 1; the account's seed makes it reproducible. @default 1 */
  probability?: number
  /** Matching requests so far */
  seen: number
  /** How often it has triggered */
  used: number
}

/**
 * A description of a world, with records by id. `defaults.ts` fills in missing parts. A complete world is also
 * valid.
 */
export interface WorldInput
  extends AccountInput,
    Readonly<{ [K in Kind]?: Record<string, RecordsInput[K]> }> {
  /** Password for HTTP Basic authentication */
  password: string
  /** API tokens; each is accepted instead of the password. @default [] */
  tokens?: string[]
  /** Whether it was created at runtime. Changes without `?account=` ignore such accounts if there is another one. @default false */
  created?: boolean
  /** Seed of all generated values; defaults to the scenario's */
  seed?: number
  /** Confirmed assumptions. @default [] */
  confirmed?: string[]
  /** Faults, tried in the order of their ids; as a list, those without an id get the next ones. @default [] */
  faults?: FaultInput[] | EntryMap<FaultInput>
  /** Scheduled changes. @default [] */
  timeline?: EntryInput[] | EntryMap<EntryInput>
  /** Past changes by the timeline, oldest first */
  history?: TimelineEvent[] | EntryMap<TimelineEvent>
}

/** A timeline entry. `after` counts from the load, or from when the entry is added. */
export type EntryInput = Omit<TimelineEntry, 'at'> & { id?: number; at?: string; after?: string }

type AssignedField = 'id' | 'phase' | 'seen' | 'used'

export type FaultInput = Omit<Fault, AssignedField> & Partial<Pick<Fault, AssignedField>>

/** A JSON Merge Patch of T (RFC 7386): sets the given fields, and null removes. */
export type PatchOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: PatchOf<T[K]> | null }
    : T

/** A change to a world. */
export type WorldChange = PatchOf<WorldData>
