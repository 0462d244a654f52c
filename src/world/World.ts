import type { Drop, FaultPhase } from './faultValues.ts'
import type { Assumptions, BillingCycle, InvoiceStatus, ProductType, ServiceStatus } from './values.ts'

/**
 * One account's world: everything it owns, as plain JSON. It is the unit of consistency, isolation and
 * persistence. Field names are the contract's (`bindedip`, `nextduedate`, `orderid`, `serviceid`…).
 */
export interface World {
  /** Changes since it was loaded */
  version: number
  /** Seed of everything that is made up in this world. */
  seed: number
  /** Password of the login (HTTP Basic). */
  password: string
  /** API tokens; each is accepted in the password's place. */
  tokens: string[]
  /** USD, exact to the cent. */
  credit: number
  clients: Record<string, Client>
  products: Record<string, Product>
  services: Record<string, Service>
  invoices: Record<string, Invoice>
  limits: Limits
  assumptions: Assumptions
  faults: Fault[]
  clock: ClockSetting
  /** Of an account that was created: what a reset of it loads again. Accounts of the scenario have none. */
  origin?: Origin
  /** The next id of each kind. Ids are never used again, not even after a record is gone. */
  next: NextIds
}

export interface Origin {
  /** Name of the scenario whose first account it began as; null: the one that was loaded */
  scenario: string | null
  /** The token that it was given */
  token: string
}

export interface NextIds {
  service: number
  order: number
  invoice: number
  fault: number
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
  /** Client id. It may name a client that does not exist: that is how `client-not-found` arises. */
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
  /** Addresses of its IP list, where named; else they are derived from the seed (see `ipList`). */
  ips?: string[]
  /** How often the derived list has been replaced by an IP-list update. */
  list_version?: number
  /** When the IP list was last updated (ISO 8601 instant); what the update throttle counts from. */
  list_updated_at?: string
  /** Proxy servers in error state (network status) */
  errors?: string[]
  /** Inactive proxy servers (network status) */
  inactive?: string[]
  /** ppr only */
  usage?: Usage
  /** ppr only */
  sticky?: Sticky
}

export interface Usage {
  /** Limit of requests or of used traffic in MB */
  limit: number
  /** Date (YYYY-MM-DD) → count of requests or used traffic in MB */
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
  /** The address that the session holds at present */
  ip: string
  /** How often the session was rotated; its address follows from it. */
  rotations: number
  /** ISO 8601 instant from which its TTL counts */
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
}

/** Frozen at an instant (ISO 8601), or so many milliseconds away from real time. */
export type ClockSetting = { frozen: string } | { offset: number }

/** What a fault can do. Each has a file in `src/faults/effects/`, where its form, its words and its effect stand. */
export interface FaultEffects {
  /** A case of the operation by its name, or an answer: a text as it is, anything else as JSON */
  respond?: string | { status: number; body?: unknown; headers?: Record<string, string> }
  /** Milliseconds of real time */
  delay?: number
  /** How the connection ends: reset, closed without an answer, or closed halfway through the answer */
  drop?: Drop
}

/** An armed fault with its counters: they are state, so that a reset or a restore brings them back too. */
export interface Fault extends FaultEffects {
  id: number
  /** An operationId, or `*` for every operation */
  operation: string
  /** Only requests that have all of this */
  match?: { path?: Record<string, string | number>; body?: unknown }
  /** `before`: the operation does not happen. `after`: it happens, then its answer is lost or replaced. */
  phase: FaultPhase
  /** So many matching requests pass first. */
  after?: number
  /** So many times, then it is spent; for ever where it is left out. */
  times?: number
  /** 0 to 1, drawn by the account's seed */
  probability?: number
  /** Matching requests that came by */
  seen: number
  /** Times it struck */
  used: number
}
