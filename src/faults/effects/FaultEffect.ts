import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'

/** An effect of a fault. Its file contains everything specific to it; `effects.ts` lists all effects. */
export interface FaultEffect<Value> {
  /** Its schema in scenarios and the control plane. The builders are an argument, so that requests don't load zod. */
  schema: (types: SchemaTypes) => z.ZodType<Value>
  /** Its description, starting with a verb: `responds with 503` */
  description: (value: Value) => string
  /** The flags of `proxysim faults add` */
  flags: readonly EffectFlag[]
  /** Its value from the flags. @default the value of the flag with the effect's name @throws UserError */
  fromFlags?: (flags: Readonly<Record<string, unknown>>) => Value | undefined
  /** Effects that it can't be combined with, besides all others with `send` */
  excludes?: readonly string[]
  /** The reason why it can't apply to an operation, or to all operations (`*`), if any. */
  issue?: (value: Value, operations: readonly EffectTarget[], operation: string) => string | undefined

  /** Whether it takes seconds, so that `sweep` uses it only if `--faults` lists it. @default false */
  isSlow?: boolean
  /** Milliseconds by which it delays the request */
  delay?: (value: Value) => number
  /** Replaces the response. In phase `before`, the operation isn't executed. */
  replace?: (value: Value, original: FaultResponse, context: FaultContext) => FaultResponse
  /** Responds with the records as they were this number of changes ago. The fault doesn't trigger if there were fewer changes. */
  changesBehind?: (value: Value) => number
  /** Sends the response, even if another effect set it. A fault can have only one effect with this function. */
  send?: (value: Value) => Send
}

/** Writes a response to its connection instead of the usual function. */
export type Send = (req: IncomingMessage, res: ServerResponse, response: SentResponse) => void

interface SentResponse {
  status: number
  headers: Readonly<Record<string, string | string[]>>
  body: string
}

/** The parts of a response that a fault can set. */
export interface FaultResponse {
  status: number
  contentType: string | undefined
  body: string
  case?: string
  headers?: Readonly<Record<string, string | string[]>>
  /** The part that reaches the client. @default all */
  received?: 'part' | 'nothing'
}

/** The parts of a request that an effect can use. */
export interface FaultContext {
  /** The response of a case of the operation */
  caseResponse: (name: string) => FaultResponse
}

/** The parts of an operation that an effect can use. */
export interface EffectTarget {
  operationId: string
  /** Whether it changes state, whatever its method */
  changesState: boolean
  cases: readonly { name: string }[]
}

/** A flag of the command line. */
export interface EffectFlag {
  /** The flag in the syntax of commander: `--delay <ms>` */
  flag: string
  description: string
  /** The smallest and the largest value, if it is an integer */
  range?: readonly [min: number, max: number]
  choices?: readonly string[]
  /** Whether it can be repeated; its value is then a list */
  isList?: boolean
  /** The flag that it can't be combined with */
  conflicts?: string
}

/** Builders for the schemas of effects. */
export interface SchemaTypes {
  z: typeof z
  fields: (shape: z.ZodRawShape) => z.ZodType
  oneOf: <const T extends readonly [string, ...string[]]>(values: T) => z.ZodType<T[number]>
  integer: (min: number, max: number) => z.ZodType<number>
  between: (min: number, max: number) => z.ZodType<number>
  anyJson: z.ZodType
  caseName: z.ZodType<string>
}
