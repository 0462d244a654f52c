import type { z } from 'zod'
import type { ContractOperation } from '../../contract/Contract.ts'
import type { Drop } from '../../service/values.ts'
import type { Instant } from '../../world/time.ts'
import type { Interpretations } from '../../world/World.ts'

/** Something that a fault can do: its schema, its description and what it does. */
export interface FaultEffect<Value> {
  /** Its schema in scenarios and the control plane. The builders are passed in, so that requests don't load zod. */
  schema: (forms: SchemaForms) => z.ZodType<Value>
  /** What it does, starting with a verb: `responds with 503` */
  words: (value: Value) => string
  /** Delays the request until it resolves, which is early if the signal is aborted. */
  wait?: (value: Value, signal: AbortSignal) => Promise<void>
  /** Replaces the response. In phase `before`, the operation then isn't carried out. */
  replace?: (value: Value, before: FaultResponse, struck: Struck) => FaultResponse
}

/** The parts of a response that a fault can set. */
export interface FaultResponse {
  status: number
  type: string | undefined
  body: string
  case?: string
  headers?: Record<string, string>
  drop?: Drop
}

/** The request that is struck. */
export interface Struck {
  operation: ContractOperation
  /** By the world's clock */
  now: Instant
  world: Interpretations
}

/** Builders for the schemas of effects; messages are noun phrases that say what is allowed. */
export interface SchemaForms {
  z: typeof z
  fields: (shape: z.ZodRawShape) => z.ZodType
  oneOf: <const T extends readonly [string, ...string[]]>(values: T) => z.ZodType<T[number]>
  whole: (phrase: string, min: number, max: number) => z.ZodType<number>
  between: (phrase: string, min: number, max: number) => z.ZodType<number>
  caseName: z.ZodType<string>
}
