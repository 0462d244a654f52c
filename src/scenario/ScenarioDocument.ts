import type {
  Client,
  Fault,
  Invoice,
  Limits,
  NextIds,
  Product,
  Service,
  Sticky,
  StickySession,
  Usage,
} from '../world/World.ts'
import type { Assumptions } from '../world/values.ts'

/** Where a clock stands: frozen at an instant (ISO 8601 with its zone), or running from one. */
export type ScenarioClock = string | { now: string; frozen: boolean }

export type ScenarioFault = Omit<Fault, 'id' | 'phase' | 'seen' | 'used'> &
  Partial<Pick<Fault, 'id' | 'phase' | 'seen' | 'used'>>

export type ScenarioProduct = Partial<Product> & Pick<Product, 'productName' | 'price' | 'product_type'>

export type ScenarioSession = Partial<StickySession> & Pick<StickySession, 'server' | 'session'>

export type ScenarioService = Partial<Omit<Service, 'sticky' | 'usage'>> &
  Pick<Service, 'client' | 'product'> & {
    usage?: Pick<Usage, 'limit'> & Partial<Usage>
    sticky?: Partial<Omit<Sticky, 'sessions'>> & { sessions?: ScenarioSession[] }
  }

export type ScenarioInvoice = Partial<Invoice> & Pick<Invoice, 'serviceid' | 'status'>

/**
 * An account as a scenario names it: what is left out has a default, or is generated from the seed. A whole world is one
 * too.
 * @example
 * { password: 'secret', credit: 10, clients: { 11: { email: 'ana@example.com' } } }
 */
export interface ScenarioAccount {
  /** Password of the login */
  password: string
  /**
   * API tokens, each accepted in the password's place
   * @default []
   */
  tokens?: string[]
  /**
   * USD, at most two decimals
   * @default 0
   */
  credit?: number
  /** Seed of everything that is generated; the scenario's unless named. */
  seed?: number
  /** The scenario's unless named */
  clock?: ScenarioClock
  /** By client id */
  clients?: Record<string, Partial<Client>>
  /** By product id */
  products?: Record<string, ScenarioProduct>
  /** By service id */
  services?: Record<string, ScenarioService>
  /** By invoice id */
  invoices?: Record<string, ScenarioInvoice>
  /**
   * Seconds between two IP-list updates of a service
   * @default { updateListInterval: 3600 }
   */
  limits?: Partial<Limits>
  /** Readings of what the documentation leaves open; the default of each unless named. */
  assumptions?: Partial<Assumptions> & { updateListInterval?: number }
  /**
   * In the order in which they are tried
   * @default []
   */
  faults?: ScenarioFault[]
  /** The next id of each kind, at least */
  next?: Partial<NextIds>
  /** How many more records to generate */
  generate?: { clients?: number; products?: number; services?: number; invoices?: number }
}

/** Readings of what the documentation leaves open, by the ids of the assumptions */
export type Readings = NonNullable<ScenarioAccount['assumptions']>

/** A scenario with everything it extends and includes merged in. */
export interface ScenarioDocument {
  /** What it shows, in one line */
  description: string
  /**
   * Seed of everything that is generated: the same seed gives the same worlds.
   * @default 1
   */
  seed?: number
  /** Real time unless named */
  clock?: ScenarioClock
  /** By login */
  accounts: Record<string, ScenarioAccount>
}
