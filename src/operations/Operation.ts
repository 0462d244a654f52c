import type { OperationId } from '../contract/cases.gen.ts'
import type { operations } from '../contract/openapi.gen.ts'
import type { Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'

type Parameters<Op extends OperationId> = operations[Op]['parameters']

/** Path parameters of an operation, as the contract's schemas leave them: strings. */
export type PathOf<Op extends OperationId> = Parameters<Op> extends { path: infer P } ? P : undefined

/** The JSON body that an operation takes. */
export type BodyOf<Op extends OperationId> = operations[Op] extends {
  requestBody?: { content: { 'application/json': infer B } }
}
  ? B
  : undefined

type Content<Op extends OperationId> = operations[Op]['responses'][200]['content']

/** The body of the 200 answer of an operation, in any of its content types. */
export type BodyOfAnswer<Op extends OperationId> = Content<Op>[keyof Content<Op>]

/** What a client asked for. Both parts refuse with the operation's own case when what was sent breaks the contract. */
export interface OperationInput<Op extends OperationId> {
  path: () => PathOf<Op>
  body: () => BodyOf<Op>
  /** What is wrong in the path, where an assumption may forgive it. */
  invalidPath: string | undefined
}

export interface OperationResult<Op extends OperationId> {
  /** undefined: zero bytes */
  body: BodyOfAnswer<Op> | undefined
  /** Content type, where the contract gives several; else its only one. */
  type?: string
  /** The merge patch that the request makes on the world. */
  change?: WorldChange
}

/**
 * Pure and synchronous: the same question to the same world at the same time gives the same answer.
 * A refusal is thrown (`refuse`), and so it has no change.
 */
export type Operation<Op extends OperationId> = (
  input: OperationInput<Op>,
  world: World,
  now: Instant,
) => OperationResult<Op>
