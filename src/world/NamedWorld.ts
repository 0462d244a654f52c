import type { Assumptions } from './values.ts'
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
} from './World.ts'

/** A world as somebody names it: what is left out is filled in (`defaults.ts`). A whole world is one too. */
export interface NamedWorld {
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
  /** By client id */
  clients?: Record<string, NamedClient>
  /** By product id */
  products?: Record<string, NamedProduct>
  /** By service id */
  services?: Record<string, NamedService>
  /** By invoice id */
  invoices?: Record<string, NamedInvoice>
  /**
   * Seconds between two IP-list updates of a service
   * @default { updateListInterval: 3600 }
   */
  limits?: Partial<Limits>
  /**
   * Readings of what the documentation leaves open; the default of each unless named. The interval is kept in `limits`;
   * it may stand among the other readings.
   */
  assumptions?: Partial<Assumptions> & Partial<Limits>
  /**
   * In the order in which they are tried
   * @default []
   */
  faults?: NamedFault[]
  /** The next id of each kind, at least */
  next?: Partial<NextIds>
}

export type NamedClient = Partial<Client>

export type NamedProduct = Partial<Product> & Pick<Product, 'productName' | 'price' | 'product_type'>

export type NamedSession = Partial<StickySession> & Pick<StickySession, 'server' | 'session'>

export type NamedService = Partial<Omit<Service, 'sticky' | 'usage'>> &
  Pick<Service, 'client' | 'product'> & {
    usage?: Partial<Usage>
    sticky?: Partial<Omit<Sticky, 'sessions'>> & { sessions?: NamedSession[] }
  }

export type NamedInvoice = Partial<Invoice> & Pick<Invoice, 'serviceid' | 'status'>

export type NamedFault = Omit<Fault, 'id' | 'phase' | 'seen' | 'used'> &
  Partial<Pick<Fault, 'id' | 'phase' | 'seen' | 'used'>>
