import { parseDateTime, type Instant, type TimeZone } from '../../world/time.ts'
import type { Kind, NextIds } from '../../world/World.ts'
import type { Assumptions } from '../values.ts'

/*
 * Facts about an account's records in a response of the real service, for `calibrate`. Nothing is inferred: a fact is either
 * shown by a response, or required for the call's success.
 */

/**
 * Path → value. Paths are `credit`, `services/5001` (true if it exists), `services/5001/status`, `services/5001/sticky/ttl`… The value
 * of `client` is an id, or a boolean if only its existence is known. Null means that the record has no such field.
 */
export type Facts = ReadonlyMap<string, unknown>

export interface Observation {
  /** Facts about the state before the exchange */
  shownFacts: Facts
  /** Facts that became true with the exchange */
  newFacts: Facts
  /** The paths that the exchange changed; each includes all paths below it */
  changedPaths: readonly string[]
  /** The kind of records that the response lists completely: no others exist */
  listedKind?: Kind | undefined
  /** The ids that the service assigned */
  next?: Partial<NextIds>
}

/** An exchange in the form that facts are read from. */
export interface ObservedCall {
  operationId: string
  path: Readonly<Record<string, string>>
  /** The JSON body of the request */
  requestBody: Fields
  status: number
  /** The response body, which keeps to the contract: parsed JSON, with digits as numbers, or a list of lines */
  body: unknown
  /** The case of a refusal, with the values of its variable parts */
  refusal: { name: string; variables: Readonly<Record<string, string>> } | undefined
  at: Instant
}

/** The interpretations that affect the meaning of a response */
export interface Interpretation {
  assumptions: Assumptions
  /** Seconds between two updates of a list */
  interval: number
}

export type Fields = Readonly<Record<string, unknown>>

/** Reads the facts from a response. */
export type ReadFacts = (
  call: ObservedCall & { id: string; body: never },
  interpretation: Interpretation,
) => Partial<Observation>

/** The facts that the responses of an operation show. An operation without an entry in `shows.ts` shows nothing. */
export interface Shows {
  /** The facts that a successful response shows */
  success: ReadFacts
  /** The facts that a refusal shows, by case. It implies that all earlier checks succeeded */
  refusals?: Readonly<Record<string, ReadFacts>>
  /** The kind of the record that the operation reads. If the record doesn't exist, it fails or returns nothing */
  reads?: Kind
}

export const updatableService = { status: 'Active', client: true }

export const activeRotatingService = { status: 'Active', product_type: 'ppr' }

export function isEmptyBody(body: unknown): boolean {
  return body === undefined || (Array.isArray(body) && body.length === 0)
}

export function isId(value: unknown): boolean {
  return /^[1-9][0-9]{0,9}$/.test(String(value))
}

/** The facts about a record. @param fields its fields, undefined where they are unknown; or whether it exists */
export function recordFacts(kind: Kind, id: unknown, fields: Fields | boolean = true): Map<string, unknown> {
  const path = `${kind}/${String(id)}`
  if (typeof fields === 'boolean') return new Map([[path, fields]])
  const facts = Object.entries(fields).map(([name, value]): [string, unknown] => [`${path}/${name}`, value])
  return new Map<string, unknown>([[path, true], ...facts])
}

export function serviceFacts(id: string, fields: Fields = {}): Facts {
  return recordFacts('services', id, fields)
}

/** The facts about the records of a list. @param key the field with their id */
export function listedFacts(
  kind: Kind,
  body: readonly Fields[],
  key: string,
  addedFields: Fields = {},
): Partial<Observation> {
  const facts = body.flatMap(({ [key]: id, ...fields }) => [
    ...recordFacts(kind, id, { ...fields, ...addedFields }),
  ])
  return { shownFacts: new Map(facts), listedKind: kind }
}

/** Parses a time in a response, in the contract's format or in ISO 8601; NaN if it isn't one. */
export function parseTime(text: unknown, zone: TimeZone): Instant {
  return parseDateTime(String(text).slice(0, 19).replace('T', ' '), zone)
}

/** The product type that a usage response implies. Empty usage implies none if the assumption `usageOfFpr` is `empty`. */
export function rotatingFields({ usageOfFpr }: Assumptions, body: readonly unknown[]): Fields {
  return usageOfFpr === 'empty' && body.length === 0 ? {} : { product_type: 'ppr' }
}
