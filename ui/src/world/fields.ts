import { diffPatch } from '../../../src/world/mergePatch.ts'
import { billingCycles, invoiceStatuses, productTypes, serviceStatuses } from '../../../src/world/values.ts'
import type { Client, Invoice, Product, Service } from '../../../src/world/World.ts'
import { numberOf } from '../lib/numberOf.ts'

/** How a field is entered. A `json` field has a list or a map in it. */
export type FieldForm = 'text' | 'number' | 'json' | readonly string[]

export interface Records {
  clients: Client
  products: Product
  services: Service
  invoices: Invoice
}
export type RecordKind = keyof Records

/** `service 5001` */
export function nameOf(kind: RecordKind, id = ''): string {
  return `${kind.slice(0, -1)} ${id}`.trim()
}

const flag = ['false', 'true'] as const

/** Every field of every record, in the order in which a record is shown. A field too few is a compile error. */
export const fields: { [Kind in RecordKind]: Record<keyof Records[Kind], FieldForm> } = {
  clients: { email: 'text' },
  products: {
    productName: 'text',
    price: 'number',
    product_type: productTypes,
    groupId: 'number',
    groupName: 'text',
    created_at: 'text',
    product_hidden: flag,
    group_hidden: flag,
    ip_count: 'number',
    update_time: 'text',
    geo: 'json',
  },
  services: {
    client: 'number',
    product: 'number',
    product_name: 'text',
    product_type: productTypes,
    status: serviceStatuses,
    bindedip: 'text',
    price: 'number',
    billingcycle: billingCycles,
    regdate: 'text',
    nextduedate: 'text',
    orderid: 'number',
    username: 'text',
    password: 'text',
    ip_count: 'number',
    ips: 'json',
    list_version: 'number',
    list_updated_at: 'text',
    errors: 'json',
    inactive: 'json',
    usage: 'json',
    sticky: 'json',
  },
  invoices: {
    serviceid: 'number',
    status: invoiceStatuses,
    amount: 'number',
    description: 'text',
    created_at: 'text',
    date_paid: 'text',
    date_refunded: 'text',
    paymentmethod: 'text',
  },
}

/** Fields of one product type alone are not asked for in the other. */
const onlyFpr: readonly string[] = [
  'bindedip',
  'ip_count',
  'ips',
  'list_version',
  'list_updated_at',
  'update_time',
  'geo',
]
const onlyPpr: readonly string[] = ['usage', 'sticky']

export function fieldsOf(kind: RecordKind, record: object): [name: string, form: FieldForm][] {
  const { product_type: type } = record as Partial<Service>
  const without = type === 'ppr' ? onlyFpr : type === 'fpr' ? onlyPpr : []
  return Object.entries<FieldForm>(fields[kind]).filter(([name]) => name in record || !without.includes(name))
}

/** A field as text to be edited. */
export function fieldText(form: FieldForm, value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  return JSON.stringify(value, null, form === 'json' ? 1 : 0)
}

/**
 * What was entered, as the patch of a field that had `old`; what the field cannot be is sent as it is, for the simulator
 * to say why.
 * @returns undefined if it changes nothing
 */
export function fieldPatch(form: FieldForm, text: string, old: unknown): unknown {
  if (form === flag) return text === 'true'
  if (text === '') return null
  if (form === 'number') return numberOf(text) ?? text
  // What was taken out of a map must be told: a patch keeps what it does not name.
  if (form === 'json') return diffPatch(old, parsed(text))
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
