/** An account as `GET /__admin/scenario` has it. The model keeps its own in the same form. */
export interface Account {
  seed: number
  password: string
  tokens: string[]
  credit: number
  clients: Record<string, { email: string }>
  products: Record<string, Product>
  services: Record<string, Service>
  invoices: Record<string, Invoice>
  limits: { updateListInterval: number; activation?: number; payment?: number }
  assumptions: Record<string, string>
  faults: Fault[]
  clock: { now: string; frozen: boolean; rate: number }
  timeline: Entry[]
  history: { id: number; at: string; description: string; reason?: string }[]
  next: Record<'service' | 'order' | 'invoice' | 'fault' | 'timeline', number>
}

export interface Product {
  productName: string
  price: number
  groupId: number
  groupName: string
  created_at: string
  product_hidden: boolean
  group_hidden: boolean
  product_type: 'fpr' | 'ppr'
  ip_count?: number
  update_time?: string
  geo?: string[]
}

export interface Service {
  client: number
  product: number
  orderid: number
  product_name: string
  product_type: 'fpr' | 'ppr'
  price: number
  status: string
  billingcycle: string
  regdate: string
  nextduedate: string
  username: string
  password: string
  ip_count?: number
  bindedip?: string
  ips?: string[]
  list_version?: number
  list_updated_at?: string
  errors?: string[] | string
  inactive?: string[] | string
  usage?: { limit: number; stats: Record<string, number> }
  sticky?: { ttl: number; sessions: Session[] }
}

export interface Session {
  server: string
  session: string
  ip: string
  rotations: number
  since: string
}

export interface Invoice {
  serviceid: number
  status: string
  created_at: string
  description: string
  amount: number
  paymentmethod: string
  date_paid?: string
  date_refunded?: string
}

export interface Fault {
  id: number
  operation: string
  phase: 'before' | 'after'
  respond?: { status: number; body: unknown }
  drop?: 'reset' | 'empty'
  after: number
  times: number
  seen: number
  used: number
}

export type Patch = Record<string, unknown>

export interface Entry {
  id: number
  at: string
  patch?: Patch
  add?: { credit?: number; services?: Record<string, { usage: number }> }
  every?: string
  times?: number
  description?: string
}

/** Stands for what no rule fixes (names, addresses, texts that are generated): the model takes it from the server. */
export const generated = '(generated)' as never

/** The expected value with what is generated filled in from the actual one. */
export function filled<T>(expected: T, actual: unknown): T {
  if ((expected as unknown) === generated) return actual as T
  if (Array.isArray(expected))
    return expected.map((item, i) => filled(item, (actual as unknown[] | undefined)?.[i])) as T
  if (typeof expected !== 'object' || expected === null) return expected
  const given = (actual ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(expected)
      .map(([key, value]) => [key, filled(value, given[key])])
      .filter(([, value]) => value !== undefined),
  ) as T
}
