import type { Write } from '../http/Wire.ts'
import type { Simulation } from '../Simulation.ts'
import type { operations } from './admin.gen.ts'

export type AdminOperationId = keyof operations

type PathOf<Op extends AdminOperationId> = operations[Op]['parameters'] extends { path: infer P }
  ? P
  : undefined
type QueryOf<Op extends AdminOperationId> = NonNullable<operations[Op]['parameters']['query']>
type BodyOf<Op extends AdminOperationId> = operations[Op] extends {
  requestBody?: { content: { 'application/json': infer B } }
}
  ? B
  : undefined

/** The request, checked against `admin.openapi.yaml`. */
export interface OperationInput<Op extends AdminOperationId> {
  path: PathOf<Op>
  query: QueryOf<Op>
  /** `{}` if an optional body is missing; not checked yet with `x-own-check` */
  body: BodyOf<Op>
  /** The body as received */
  text: string
  accept: string
  /** The simulator's origin as the client sees it: `http://127.0.0.1:4010` */
  origin: string
  /** Aborted when the client goes away or the simulator stops */
  signal: () => AbortSignal
}

type Success<Op extends AdminOperationId> = keyof operations[Op]['responses'] & (200 | 201 | 204 | 408)
type ContentOf<Op extends AdminOperationId, S extends Success<Op>> = operations[Op]['responses'][S] extends {
  content: infer C
}
  ? C
  : undefined
type AnswerOf<S, C> =
  | (C extends undefined ? { status: S } : never)
  | (C extends { 'application/json': infer B } ? { status: S; body: B } : never)
  | (C extends object
      ? { status: S; type: Exclude<keyof C, 'application/json' | 'text/event-stream'>; text: string }
      : never)
  | (C extends { 'text/event-stream': string } ? { status: S; stream: (write: Write) => void } : never)

/** Errors are thrown (see `errorAnswer`), except 408. */
export type OperationResult<Op extends AdminOperationId> = {
  [S in Success<Op>]: AnswerOf<S, ContentOf<Op, S>>
}[Success<Op>]

export type AdminOperation<Op extends AdminOperationId> = (
  input: OperationInput<Op>,
  simulation: Simulation,
) => OperationResult<Op> | Promise<OperationResult<Op>>
