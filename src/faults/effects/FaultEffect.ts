import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'

/** Something that a fault can do. Its file has everything about it; the list in `effects.ts` names it. */
export interface FaultEffect<Value> {
  /** Its schema in scenarios and the control plane. The builders are passed in, so that requests don't load zod. */
  schema: (types: SchemaTypes) => z.ZodType<Value>
  /** What it does, starting with a verb: `responds with 503` */
  description: (value: Value) => string
  /** The flags of `proxysim faults add` */
  flags: readonly EffectFlag[]
  /** The value that the flags give. @default that of the flag with the effect's name @throws UserError */
  fromFlags?: (flags: Readonly<Record<string, unknown>>) => Value | undefined
  /** Effects with which it makes no sense */
  excludes?: readonly string[]
  /** Why it can't be applied to an operation, or to all operations (`*`), if so. */
  issue?: (value: Value, operations: readonly EffectTarget[], operation: string) => string | undefined

  /** Delays the request until it resolves, which is early if the signal is aborted. */
  wait?: (value: Value, signal: AbortSignal) => Promise<void>
  /** How long it takes in milliseconds. An effect that has this is slow: `sweep` uses it only when named. */
  duration?: (value: Value) => number
  /** Replaces the response. In phase `before`, the operation then isn't carried out. */
  replace?: (value: Value, original: FaultResponse, context: FaultContext) => FaultResponse
  /** How many changes by requests the records are behind of which the response is made. Without so many, it doesn't trigger. */
  changesBehind?: (value: Value) => number
  /** Sends the response, whichever it is. */
  send?: (value: Value) => Send
}

/** Writes a response to its connection, in place of the usual way. */
export type Send = (req: IncomingMessage, res: ServerResponse, response: SentResponse) => void

interface SentResponse {
  status: number
  headers: Readonly<Record<string, string | string[]>>
  body: string
}

/** The parts of a response that a fault can set. */
export interface FaultResponse {
  status: number
  type: string | undefined
  body: string
  case?: string
  headers?: Readonly<Record<string, string | string[]>>
  /** How much of it reaches the client. @default all */
  received?: 'part' | 'nothing'
}

/** What an effect may know of the request. */
export interface FaultContext {
  /** The response of a case of the operation */
  caseResponse: (name: string) => FaultResponse
}

/** What an effect may know of an operation of the contract. */
export interface EffectTarget {
  operationId: string
  /** Whatever its method */
  changesState: boolean
  cases: readonly { name: string }[]
}

/** A flag of the command line. */
export interface EffectFlag {
  /** As commander writes it: `--delay <ms>` */
  flag: string
  description: string
  /** Whether its value is a whole number */
  isNumber?: boolean
  choices?: readonly string[]
  /** Whether it may be given several times: the value is then a list */
  isList?: boolean
  /** The flag that can't be given with it */
  conflicts?: string
}

/** Builders for the schemas of effects; messages are noun phrases that say what is allowed. */
export interface SchemaTypes {
  z: typeof z
  fields: (shape: z.ZodRawShape) => z.ZodType
  oneOf: <const T extends readonly [string, ...string[]]>(values: T) => z.ZodType<T[number]>
  whole: (phrase: string, min: number, max: number) => z.ZodType<number>
  between: (phrase: string, min: number, max: number) => z.ZodType<number>
  caseName: z.ZodType<string>
}
