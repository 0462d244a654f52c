import type { JsonObject } from '../../world/mergePatch.ts'
import type { IndexedBy } from '../../world/Table.ts'
import { fraction } from '../../world/random.ts'
import { formatDate, dayMs, type Instant, type TimeZone } from '../../world/time.ts'
import type { Sticky, StickySession } from '../sticky.ts'
import type { BillingCycle, InvoiceStatus, ProductType, ServiceStatus } from '../values.ts'

/*
 * The types that describe a kind of record. `records.ts` lists the kinds.
 */

/** The values of each field type; `schema.ts` has the schemas. */
type FieldTypes = Record<
  'boundAddress' | 'date' | 'dateTime' | 'instant' | 'longText' | 'regdate' | 'secret' | 'text',
  string
> &
  Record<'addressCount' | 'count' | 'id' | 'orderId' | 'usd', number> &
  Record<'addresses' | 'countries', string[]> & {
    billingCycle: BillingCycle
    flag: boolean
    invoiceStatus: InvoiceStatus
    productType: ProductType
    serviceStatus: ServiceStatus
    sticky: Sticky
    usage: Usage
  }

export type FieldType = keyof FieldTypes

export interface Usage {
  /** Limit of requests, or of traffic in MB. `none` (no limit) is `null` in scenarios and patches */
  limit: number | 'none'
  /** The usage, if it isn't the sum of `stats` */
  rate?: number
  /** Date (YYYY-MM-DD) → number of requests, or traffic in MB */
  stats: Record<string, number>
}

/** The types of fields in scenarios and patches, in which some parts are optional. */
export type FieldInputTypes = Omit<FieldTypes, 'sticky' | 'usage'> & {
  sticky: { ttl?: number; sessions?: (Partial<StickySession> & Pick<StickySession, 'server' | 'session'>)[] }
  usage: Partial<Usage>
}

export interface Field {
  type: FieldType
  /** Description for editors, if the contract has none */
  description?: string
  isRequired?: true
  /** The product type that has the field; both types if missing */
  productType?: ProductType
  /**
   * The field of the parent record that replaces a missing value. If there is none, `default` does, or else `fill`, which
   * gets the fields before this one and all input fields. Without any of them, the field is absent.
   */
  from?: string
  default?: unknown
  /** The statuses of records that have the field; all statuses if missing */
  statuses?: readonly string[]
  fill?(this: void, record: JsonObject, sources: Sources, given: JsonObject): unknown
  /** Converts an input or default value to its stored form */
  complete?(this: void, value: unknown, sources: Sources, given: JsonObject): unknown
  /** Converts a stored value to its form in scenarios, if that differs */
  exported?(this: void, value: unknown, now: Instant): unknown
}

/** The inputs of defaults. */
export interface Sources {
  id: string
  seed: number
  now: Instant
  timeZone: TimeZone
  /** The parent record, if it exists: a service's product, an invoice's service */
  owner?: object | undefined
  /** The record before the change, if it existed */
  before?: object | undefined
  /** Assigns an order id to a service without one */
  newOrder?: () => number
  /** Returns a free address for a service without one */
  newAddress?: () => string
}

export type Shape = Readonly<Record<string, Field>>

/** Everything that belongs to a kind, besides the rules that involve other records (`invariants.ts`). */
export interface KindDescription<S extends Shape> {
  /** In the order of the fields in records */
  fields: S
  /** The first id that is assigned or generated, for the kind and for the kinds that belong to it */
  firstIds: Readonly<Record<string, number>>
  /** Whether operations create records of this kind, so that their ids come from a counter */
  isCounted?: true
  /** Fields that hold ids of other records, and their kinds, which must be listed before this one */
  owners?: Readonly<Partial<Record<keyof S, string>>>
  /** The key by which records are indexed, besides their id */
  index?: IndexedBy
  /** Generates a record. It depends only on the seed, its own id and its owners. */
  generate: (this: void, source: GeneratorSource) => InputOf<S>
  dashboard: {
    /** Columns of the table: field → heading. The id comes first. */
    columns: Partial<Record<keyof S & string, string>>
    /** The fields that users edit most. The others are edited as JSON. */
    form: readonly (keyof S & string)[]
    /** How to add a record, shown in an empty table */
    hint: string
  }
}

/** The parts of @faker-js/faker that generators use. Its own type would add all its types to those of our library. */
interface FakeData {
  seed(parts: number[]): unknown
  helpers: {
    arrayElement<T>(values: readonly T[]): T
    uniqueArray<T>(generate: () => T, length: number): T[]
  }
  internet: { exampleEmail(): string }
  location: { country(): string; countryCode(): string }
  number: { int(range: { min: number; max: number }): number }
}

export interface GeneratorSource {
  faker: FakeData
  seed: number
  id: number
  now: Instant
  timeZone: TimeZone
  /** Ids of the parent records, by field */
  owners: Readonly<Record<string, number>>
  /** The parent records, by field; undefined if missing */
  parents: Readonly<Record<string, object | undefined>>
}

export function today({ now, timeZone }: Pick<Sources, 'now' | 'timeZone'>): string {
  return formatDate(now, timeZone)
}

/** A date within the last `days` days, chosen by the seed. */
export function recentDate(
  { now, timeZone }: GeneratorSource,
  days: number,
  seed: readonly (string | number)[],
): string {
  return formatDate(now - Math.floor(fraction(seed) * days) * dayMs, timeZone)
}

type Flat<T> = { [Name in keyof T]: T[Name] }

type RequiredNames<S extends Shape> = {
  [Name in keyof S]: S[Name] extends { isRequired: true } ? Name : never
}[keyof S]

/** The fields that every record has */
type CertainNames<S extends Shape> = {
  [Name in keyof S]: S[Name] extends { productType: ProductType }
    ? never
    : S[Name] extends { statuses: readonly string[] }
      ? never
      : S[Name] extends
            | { isRequired: true }
            | { default: unknown }
            | { fill: (...given: never[]) => string | number }
        ? Name
        : never
}[keyof S]

type FieldValues<S extends Shape, Names extends keyof S, All extends Record<FieldType, unknown>> = Flat<
  { -readonly [Name in Names]: All[S[Name]['type']] } & {
    -readonly [Name in Exclude<keyof S, Names>]?: All[S[Name]['type']]
  }
>
export type RecordOf<S extends Shape> = FieldValues<S, CertainNames<S>, FieldTypes>
export type InputOf<S extends Shape> = FieldValues<S, RequiredNames<S>, FieldInputTypes>
