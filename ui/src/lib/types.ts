import type { ArmedFault, JournalEntry as Entry } from '../../../src/admin/shapes.ts'

export type * from '../../../src/admin/shapes.ts'

/** A merge patch, or any other object of JSON */
export type Patch = { [key: string]: unknown }

/** `before` is the merge patch that undoes `change`. */
export type JournalEntry = Entry & { before?: unknown }

export interface Clock {
  now: string
  frozen: boolean
  /** Seconds of the account in a real second */
  rate?: number
}

export interface Service {
  client: number
  product: number
  product_name: string
  product_type: string
  status: string
  list_updated_at?: string
  sticky?: { ttl: number; sessions: { server: string; session: string; ip: string; since: string }[] }
}

export type RecordKind = 'services' | 'invoices' | 'clients' | 'products'

/** What of an account's world the dashboard reads. */
export interface World {
  password: string
  tokens: string[]
  credit: number
  clock: Clock
  limits: { updateListInterval: number }
  faults: (Omit<ArmedFault, 'spent'> & { spent?: boolean })[]
  services: Record<string, Service>
  invoices: Record<string, { serviceid: number; status: string }>
  clients: Record<string, { email: string }>
  products: Record<string, { productName: string }>
}

/** What is due by itself as time passes. */
export interface Timeline {
  timeline: { id: number | string; at: string; patch?: unknown; add?: unknown; description?: string }[]
  skipped: { id: number | string; at?: string; reason: string }[]
}

/** What a call of the control plane refused, and why. */
export interface Issue {
  path: string
  message: string
  line?: number
  column?: number
}
