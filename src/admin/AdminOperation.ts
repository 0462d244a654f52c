import type { Stream } from '../http/Wire.ts'
import type { Simulation } from '../Simulation.ts'
import type { Awaitable } from '../store/Store.ts'
import type { operations } from '../contract/admin.gen.ts'
import type { TextResponse } from './TextResponse.ts'

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
export interface AdminInput<Op extends AdminOperationId> {
  path: PathOf<Op>
  query: QueryOf<Op>
  /** `{}` if an optional body is missing; unchecked for operations with `x-own-check` */
  body: BodyOf<Op>
  /** The body as received */
  text: string
  /** The media type of the body; undefined without a Content-Type */
  contentType: string | undefined
  accept: string
  /** The simulator's origin from the client's point of view: `http://127.0.0.1:4010` */
  origin: string
  /** Returns a signal that is aborted when the client disconnects or the simulator stops. */
  signal: () => AbortSignal
}

/** Maps the content types of a response to the return type of its operation. */
type ContentOf<C> = {
  [Type in keyof C]: Type extends 'application/json'
    ? C[Type]
    : Type extends 'text/event-stream'
      ? Stream
      : Type extends string
        ? TextResponse<Type>
        : never
}[keyof C]

type ResultOf<Responses> = Responses extends
  | Record<200, { content: infer Content }>
  | Record<201, { content: infer Content }>
  ? ContentOf<Content>
  : void

/** Returns the body of the successful response in the contract, or throws an AdminError. */
export type AdminOperation<Op extends AdminOperationId> = (
  input: AdminInput<Op>,
  simulation: Simulation,
) => Awaitable<ResultOf<operations[Op]['responses']>>
