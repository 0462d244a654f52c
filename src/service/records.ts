import type { JsonObject } from '../world/mergePatch.ts'
import type { IndexedBy } from '../world/Table.ts'
import type { Instant } from '../world/time.ts'
import { clients } from './kinds/clients.ts'
import { invoices } from './kinds/invoices.ts'
import type { Field, InputOf, KindDescription, RecordOf, Shape, Sources } from './kinds/Kind.ts'
import { products } from './kinds/products.ts'
import { services } from './kinds/services.ts'

export type { FieldType, Sources, Usage } from './kinds/Kind.ts'

/*
 * The records of a world. Each kind is described in one file. Types, the schema of scenarios, defaults, the order in exports,
 * generated records, the summary of an account and the tables of the dashboard are derived from it.
 */
export const descriptions = { clients, products, services, invoices }

type Descriptions = typeof descriptions

export type Kind = keyof Descriptions

/** The parts of a world that contain records by id. */
export const kinds = Object.keys(descriptions) as Kind[]

/** The description of a kind, in a type that fits all kinds. */
export function getDescription(kind: Kind): KindDescription<Shape> {
  return descriptions[kind]
}

/** The first id of a kind. */
export function getFirstId(kind: Kind): number {
  return getDescription(kind).firstIds[getNoun(kind)] as number
}

/** The fields that hold ids of other records, and the kinds of those records. */
export function getOwners(kind: Kind): [field: string, owner: Kind][] {
  const description = descriptions[kind]
  return Object.entries('owners' in description ? description.owners : {})
}

/** The field by which records of a kind are indexed, besides their id. */
export function getIndexField(kind: Kind): IndexedBy | undefined {
  return getDescription(kind).index
}

/** Names of the ids that operations assign. */
export type CountedId = {
  [K in Kind]: Descriptions[K] extends { isCounted: true } ? keyof Descriptions[K]['firstIds'] : never
}[Kind]

/** The name of a record of a kind: `service`. */
export function getNoun(kind: Kind): string {
  return kind.slice(0, -1)
}

/** The records of a world, by kind */
export type Records = { [K in Kind]: RecordOf<Descriptions[K]['fields']> }

/** The records in scenarios and patches, by kind. `service_id` repeats the id, as in the API. */
export type RecordsInput = {
  [K in Kind]: InputOf<Descriptions[K]['fields']> & (K extends 'services' ? { service_id?: number } : unknown)
}

export type Product = Records['products']
export type Service = Records['services']
export type Invoice = Records['invoices']
export type ProductInput = RecordsInput['products']
export type ServiceInput = RecordsInput['services']

const emptyField = {
  productType: undefined,
  statuses: undefined,
  from: undefined,
  default: undefined,
  fill: undefined,
  complete: undefined,
}

/** For speed, all fields have the same object shape: filling in records takes most of an order's time. */
const fields = Object.fromEntries(
  kinds.map((kind) => [
    kind,
    Object.entries(getDescription(kind).fields).map(([name, field]) => [
      name,
      { ...emptyField, exported: undefined, ...field },
    ]),
  ]),
) as unknown as Record<Kind, [string, Field][]>

/** The names and descriptions of the fields of a kind. */
export function getFields(kind: Kind): readonly [name: string, field: Field][] {
  return fields[kind]
}

/** Completes a record. Its fields are always in the same order. */
export function fillRecord<K extends Kind>(kind: K, input: object, sources: Sources): Records[K] {
  const inputFields = input as JsonObject
  const owner = sources.owner as JsonObject | undefined
  const record: JsonObject = {}
  for (const [name, { productType, statuses, from, default: fallback, fill, complete }] of fields[kind]) {
    if (productType !== undefined && productType !== record['product_type']) continue
    if (statuses?.includes(record['status'] as string) === false) continue
    const inherited = from === undefined ? undefined : owner?.[from]
    const value = inputFields[name] ?? inherited ?? fallback ?? fill?.(record, sources, inputFields)
    if (value === undefined || value === null) continue
    record[name] = complete ? complete(value, sources, inputFields) : value
  }
  return record as Records[K]
}

/** Converts a record to its form in scenarios. Its fields are always in the same order. */
export function withFieldsInOrder<K extends Kind>(kind: K, record: Records[K], now: Instant = 0): Records[K] {
  const ordered: JsonObject = {}
  for (const [name, { exported }] of fields[kind]) {
    const value = (record as JsonObject)[name]
    if (value !== undefined) ordered[name] = exported ? exported(value, now) : value
  }
  return ordered as Records[K]
}
