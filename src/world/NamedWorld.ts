import type { Assumptions } from './values.ts'
import type {
  Client,
  Fault,
  Happened,
  Invoice,
  Kind,
  Limits,
  NextIds,
  Product,
  Service,
  Sticky,
  StickySession,
  TimelineEntry,
  Usage,
} from './World.ts'

/** The records of a world as somebody describes them, by kind */
export interface NamedRecords {
  clients: NamedClient
  products: NamedProduct
  services: NamedService
  invoices: NamedInvoice
}

/**
 * A world as somebody describes it, with records by id: what is left out is filled in (`defaults.ts`). A complete world is
 * one too.
 */
export interface NamedWorld extends Readonly<{ [K in Kind]?: Record<string, NamedRecords[K]> }> {
  /** Password for HTTP Basic authentication */
  password: string
  /**
   * API tokens, each accepted in place of the password
   * @default []
   */
  tokens?: string[]
  /**
   * USD, at most two decimals
   * @default 0
   */
  credit?: number
  /** Seed of everything that is generated; defaults to the scenario's */
  seed?: number
  /**
   * Seconds between two IP-list updates of a service
   * @default { updateListInterval: 3600 }
   */
  limits?: Partial<Limits>
  /** Readings of what the documentation leaves open; anything not listed has its default. */
  assumptions?: Partial<Assumptions>
  /**
   * Tried in this order
   * @default []
   */
  faults?: NamedFault[]
  /**
   * What is due, and when
   * @default []
   */
  timeline?: NamedEntry[]
  /** What has happened by itself, the oldest first */
  history?: Happened[]
  /** Lower bounds for the next id of each kind */
  next?: Partial<NextIds>
}

/** The records of a world, by kind */
export interface NamedRecords {
  clients: NamedClient
  products: NamedProduct
  services: NamedService
  invoices: NamedInvoice
}

/** An entry of the timeline: `after` counts from the load, or from when it is added. */
export type NamedEntry = Omit<TimelineEntry, 'at'> & { id?: number; at?: string; after?: string }

export type NamedClient = Partial<Client>

export type NamedProduct = Partial<Product> & Pick<Product, 'productName' | 'price' | 'product_type'>

export type NamedSession = Partial<StickySession> & Pick<StickySession, 'server' | 'session'>

export type NamedService = Partial<Omit<Service, 'sticky' | 'usage'>> &
  Pick<Service, 'client' | 'product'> & {
    usage?: Partial<Usage>
    sticky?: Partial<Omit<Sticky, 'sessions'>> & { sessions?: NamedSession[] }
    /** Its id again, as the API shows it */
    service_id?: number
  }

export type NamedInvoice = Partial<Invoice> & Pick<Invoice, 'serviceid'>

export type NamedFault = Omit<Fault, 'id' | 'phase' | 'seen' | 'used'> &
  Partial<Pick<Fault, 'id' | 'phase' | 'seen' | 'used'>>
