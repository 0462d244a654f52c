import type { Table } from './Table.ts'
import type {
  Assumptions,
  BillingCycle,
  Drop,
  FaultPhase,
  InvoiceStatus,
  ProductType,
  ServiceStatus,
} from './values.ts'

/** The records of a world, by kind */
export interface Records {
  clients: Client
  products: Product
  services: Service
  invoices: Invoice
}

export type Kind = keyof Records

/** The parts of a world that are records by id. */
export const kinds = ['clients', 'products', 'services', 'invoices'] as const satisfies readonly Kind[]

/** All that a world has by id */
export interface Tables extends Records {
  /** What is due */
  timeline: TimelineEntry
  /** What has happened by itself, the last 100 */
  history: Happened
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

/** All of a world but its records */
export interface WorldSettings {
  /** Number of changes since the world was loaded */
  version: number
  origin: Origin
  /** Seed of everything generated in this world */
  seed: number
  /** Password for HTTP Basic authentication */
  password: string
  /** API tokens; each is accepted in place of the password. */
  tokens: readonly string[]
  /** USD, exact to the cent. */
  credit: number
  limits: Limits
  assumptions: Assumptions
  faults: readonly Fault[]
  clock: ClockSetting
  /** The next id of each kind. Ids are never reused, not even after a record is deleted. */
  next: NextIds
}

/** Where a world came from. All that descend from one load share it. */
export interface Origin {
  /** Number of the load, creation or reset that put the world in place; the storage assigns it */
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

export interface NextIds {
  service: number
  order: number
  invoice: number
  fault: number
  timeline: number
}

/** A change that is due: it is made when the account's clock has passed the instant, before anything else looks. */
export interface TimelineEntry {
  /** ISO 8601 with milliseconds */
  at: string
  /** A merge patch on the world, in the format of scenario accounts */
  patch?: Readonly<Record<string, unknown>>
  /** What is added; together with a patch, only if that changes anything */
  add?: Addition
  /** ISO 8601 duration after which it is due again, `times` in all */
  every?: string
  /** How often it is still due */
  times?: number
  description?: string
}

export interface Addition {
  /** USD, may be negative; what would leave less than nothing is skipped */
  credit?: number
  /** Usage (requests, or traffic in MB) on the day that it is then; ppr only */
  services?: Readonly<Record<string, { usage: number }>>
}

/** An entry of the timeline that was due. */
export interface Happened {
  /** Of the entry */
  id: number
  /** When it was due */
  at: string
  description?: string
  /** Why it was skipped, if it was */
  reason?: string
}

export interface Client {
  email: string
}

export interface Product {
  productName: string
  /** USD */
  price: number
  groupId: number
  groupName: string
  /** YYYY-MM-DD */
  created_at: string
  product_hidden: boolean
  group_hidden: boolean
  product_type: ProductType
  /** fpr only */
  ip_count?: number
  /** YYYY-MM-DD HH:MM:SS, fpr only */
  update_time?: string
  /** Country codes (ISO 3166-1 alpha-2), fpr only */
  geo?: string[]
}

export interface Service {
  /** Client id. It may name a client that doesn't exist, which is how `client-not-found` arises. */
  client: number
  /** Product id */
  product: number
  orderid: number
  product_name: string
  /** YYYY-MM-DD */
  regdate: string
  /** YYYY-MM-DD */
  nextduedate: string
  status: ServiceStatus
  billingcycle: BillingCycle
  username: string
  password: string
  /** fpr only; empty while no address is bound */
  bindedip?: string
  product_type: ProductType
  /** fpr only */
  ip_count?: number
  /** USD */
  price: number
  /** The IP list, if set explicitly; otherwise derived from the seed (see `ipList`) */
  ips?: string[]
  /** How many IP-list updates have replaced the derived list */
  list_version?: number
  /** When the IP list was last updated (ISO 8601 instant); the update throttle counts from here. */
  list_updated_at?: string
  /** Proxy servers in an error state (network status) */
  errors?: string[]
  /** Inactive proxy servers (network status) */
  inactive?: string[]
  /** ppr only */
  usage?: Usage
  /** ppr only */
  sticky?: Sticky
}

export interface Usage {
  /** Limit of requests, or of traffic in MB; `none`, if there is no limit, is `null` in scenarios and patches too */
  limit: number | 'none'
  /** What is used of it, if that isn't the sum of `stats` */
  rate?: number
  /** Date (YYYY-MM-DD) → number of requests, or traffic in MB */
  stats: Record<string, number>
}

export interface Sticky {
  /** Minutes */
  ttl: number
  sessions: StickySession[]
}

export interface StickySession {
  server: string
  session: string
  /** The session's current address */
  ip: string
  /** Number of rotations so far; the address is derived from it. */
  rotations: number
  /** ISO 8601 instant from which the TTL counts */
  since: string
}

export interface Invoice {
  description: string
  status: InvoiceStatus
  /** YYYY-MM-DD */
  created_at: string
  /** USD */
  amount: number
  /** YYYY-MM-DD */
  date_refunded?: string
  /** YYYY-MM-DD */
  date_paid?: string
  paymentmethod: string
  serviceid: number
}

export interface Limits {
  /** Seconds between two IP-list updates of one service (assumption `updateListInterval`) */
  updateListInterval: number
  /** Seconds until a service that was ordered as `Pending` is `Active`. @default never */
  activation?: number
  /** Seconds until an invoice that was ordered as not paid is paid. @default never */
  payment?: number
}

/**
 * Frozen at an instant (ISO 8601), or running: `rate` times as fast as real time, from `offset` at the real time `since`
 * (milliseconds since 1970).
 */
export type ClockSetting = ({ frozen: string } | { offset: number; since?: number }) & {
  /** Seconds of the account's clock in one real second. @default 1 */
  rate?: number
}

/** What a fault can do. `src/faults/effects/` has one file per effect: its schema, its description and what it does. */
export interface FaultEffects {
  /** Name of a case of the operation, or a custom response: a string is sent as text, anything else as JSON */
  respond?: string | { status: number; body?: unknown; headers?: Record<string, string> }
  /** Milliseconds of real time, 0 to 600,000 */
  delay?: number
  /** How the connection ends: `reset`, closed without a response (`empty`) or halfway through it (`truncate`) */
  drop?: Drop
}

/** An armed fault. Its counters are state, so resets and restores include them. */
export interface Fault extends FaultEffects {
  id: number
  /** An operationId, or `*` for every operation */
  operation: string
  /** Only strikes requests that have all these path parameters and body fields */
  match?: { path?: Record<string, string | number>; body?: unknown }
  /**
   * `before`: if the response is dropped or replaced, the operation isn't carried out. `after`: it is carried out first.
   * @default 'before'
   */
  phase: FaultPhase
  /**
   * Number of matching requests that pass first.
   * @default 0
   */
  after?: number
  /**
   * How often it strikes before it is spent.
   * @default unlimited
   */
  times?: number
  /**
   * 0 to 1; the account's seed makes it reproducible
   * @default 1
   */
  probability?: number
  /** Matching requests so far */
  seen: number
  /** Strikes so far */
  used: number
}

/** A JSON Merge Patch of T (RFC 7386): sets the given fields, and null removes. */
export type PatchOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: PatchOf<T[K]> | null }
    : T

/** How an operation changes a world. */
export type WorldChange = PatchOf<WorldData>

/** The parts of a world that say how it reads the gaps in the documentation. */
export type Readings = Pick<World, 'assumptions' | 'limits'>

/** A world's reading of an assumption; undefined if there is no such assumption. */
export function readingOf({ assumptions, limits }: Readings, id: string): string | number | undefined {
  // The interval can be any number, so it is kept with the limits.
  return id === 'updateListInterval'
    ? limits.updateListInterval
    : (assumptions as unknown as Record<string, string>)[id]
}
