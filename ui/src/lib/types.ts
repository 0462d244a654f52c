import type {
  AccountSummary,
  ArmedFault,
  Assumption,
  CoverageReport,
  CoveredResponse,
  Finding,
  Health,
  JournalEntry as Entry,
  ScenarioInfo,
  Snapshot,
} from '../../../src/admin/shapes.ts'

export type {
  AccountSummary,
  ArmedFault,
  Assumption,
  CoverageReport,
  CoveredResponse,
  Finding,
  Health,
  ScenarioInfo,
  Snapshot,
}

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
  nextduedate: string
  price: number
  bindedip?: string
  list_updated_at?: string
  sticky?: { ttl: number; sessions: { server: string; session: string; ip: string; since: string }[] }
}

export interface Records {
  services: Service
  invoices: { serviceid: number; description: string; status: string; created_at: string; amount: number }
  clients: { email: string }
  products: {
    productName: string
    groupName: string
    product_type: string
    price: number
    product_hidden: boolean
    group_hidden: boolean
  }
}
export type RecordKind = keyof Records

/** What of an account's world the dashboard reads. */
export type World = { [Kind in RecordKind]: Record<string, Records[Kind]> } & {
  password: string
  tokens: string[]
  credit: number
  clock: Clock
  limits: { updateListInterval: number }
  faults: (Omit<ArmedFault, 'spent'> & { spent?: boolean })[]
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
