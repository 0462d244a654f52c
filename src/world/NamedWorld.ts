import type {
  Assumptions,
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
  password: string
  tokens?: string[]
  /** USD */
  credit?: number
  seed?: number
  clients?: Record<string, NamedClient>
  products?: Record<string, NamedProduct>
  services?: Record<string, NamedService>
  invoices?: Record<string, NamedInvoice>
  limits?: Partial<Limits>
  /** The interval is kept in `limits`; it may stand among the other readings. */
  assumptions?: Partial<Assumptions> & Partial<Limits>
  faults?: NamedFault[]
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
