import type { OperationId } from '../../contract/cases.gen.ts'
import type { operations } from '../../contract/openapi.gen.ts'
import type { Instant } from '../../world/time.ts'
import type { World, WorldChange } from '../../world/World.ts'

type Parameters<Op extends OperationId> = operations[Op]['parameters']

/** Path parameters of an operation: strings, restricted by the contract's schemas. */
export type PathOf<Op extends OperationId> = Parameters<Op> extends { path: infer P } ? P : undefined

/** The JSON body of an operation. */
export type BodyOf<Op extends OperationId> = operations[Op] extends {
  requestBody?: { content: { 'application/json': infer B } }
}
  ? B
  : undefined

type Content<Op extends OperationId> = operations[Op]['responses'][200]['content']

/** The body of an operation's 200 response, in any of its content types. */
export type ResponseBodyOf<Op extends OperationId> = Content<Op>[keyof Content<Op>]

/** The parts of a request. `requirePath` and `requireBody` refuse invalid parts with the operation's own case. */
export interface OperationInput<Op extends OperationId> {
  requirePath: () => PathOf<Op>
  requireBody: () => BodyOf<Op>
  /** The violation in the path, for assumptions that tolerate it */
  pathViolation: string | undefined
}

export interface OperationResult<Op extends OperationId> {
  /** Undefined for an empty body */
  body: ResponseBodyOf<Op> | undefined
  /** Content type, if the contract allows several */
  contentType?: string
  /** The merge patch on the world */
  change?: WorldChange | undefined
}

/**
 * Pure and synchronous: the same input, world and time give the same result. Refusals are thrown (`refuse`), so they
 * never include a change.
 */
export type Run<Op extends OperationId> = (
  input: OperationInput<Op>,
  world: World,
  now: Instant,
) => OperationResult<Op>

/** An operation, with all that is particular to it. */
export interface Operation<Op extends OperationId> {
  run: Run<Op>
  /** Whether the response depends on the time, maybe only for some bodies. Other reads are cached until the world changes */
  dependsOnTime: boolean | ((body: Readonly<Record<string, unknown>>) => boolean)
}
