import type { z } from 'zod'
import type { ContractOperation } from '../../contract/Contract.ts'
import type { Drop } from '../../world/faultValues.ts'
import type { Instant } from '../../world/time.ts'
import type { Limits } from '../../world/World.ts'

/** One thing that a fault can do: its form, its words, and what becomes of the request. */
export interface FaultEffect<Value> {
  /** Its form in scenarios and over the control plane. The forms are given, so that no request loads zod. */
  schema: (forms: SchemaForms) => z.ZodType<Value>
  /** What it does, with a verb in front: `answers 503` */
  words: (value: Value) => string
  /** Makes the request wait; ends early when one of the signals is aborted. */
  wait?: (value: Value, signals: readonly AbortSignal[]) => Promise<void>
  /** Makes another answer of the one that there is. With phase `before` the operation then does not happen. */
  answer?: (value: Value, before: Answer, struck: Struck) => Answer
}

/** An answer, as far as a fault can make one. */
export interface Answer {
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
  limits: Limits
}

/** What the forms of effects are made of; messages are noun phrases that tell what is allowed. */
export interface SchemaForms {
  z: typeof z
  fields: (shape: z.ZodRawShape) => z.ZodType
  oneOf: <const T extends readonly [string, ...string[]]>(values: T) => z.ZodType<T[number]>
  whole: (phrase: string, min: number, max: number) => z.ZodType<number>
  between: (phrase: string, min: number, max: number) => z.ZodType<number>
  /** The name of a case */
  caseName: z.ZodType<string>
}
