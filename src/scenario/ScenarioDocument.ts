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

/** Where a clock stands: frozen at an instant (ISO 8601), or running from one. */
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

/** An account as a scenario names it; a whole world is one too. */
export interface ScenarioAccount {
  password: string
  tokens?: string[]
  /** USD */
  credit?: number
  seed?: number
  clock?: ScenarioClock
  clients?: Record<string, Partial<Client>>
  products?: Record<string, ScenarioProduct>
  services?: Record<string, ScenarioService>
  invoices?: Record<string, ScenarioInvoice>
  limits?: Partial<Limits>
  assumptions?: Partial<Assumptions> & { updateListInterval?: number }
  faults?: ScenarioFault[]
  next?: Partial<NextIds>
  /** How many more records to make up */
  generate?: { clients?: number; products?: number; services?: number; invoices?: number }
}

/** Readings of what the documentation leaves open, by the ids of the assumptions */
export type Readings = NonNullable<ScenarioAccount['assumptions']>

/** A scenario with everything it extends and includes merged in. */
export interface ScenarioDocument {
  description: string
  seed?: number
  clock?: ScenarioClock
  accounts: Record<string, ScenarioAccount>
}
