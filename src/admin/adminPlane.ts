import type { Plane } from '../http/handleRequest.ts'
import type { RequestContext } from '../http/RequestContext.ts'
import type { WireResponse } from '../http/Wire.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../storage/StorageError.ts'
import { adminContract } from './adminContract.ts'
import { adminOperations } from './adminOperations.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { errorAnswer } from './errorAnswer.ts'
import { readInput } from './readInput.ts'

/** By operationId, which comes from the contract. */
const operations = adminOperations as unknown as Record<string, AdminOperation<never>>

/** Any result of an operation. */
type SomeResult =
  | { status: number }
  | { status: number; body: unknown }
  | { status: number; pieces: Iterable<string> }
  | { status: number; type: string; text: string }
  | { status: number; stream: NonNullable<WireResponse['stream']> }

/** The control plane. A guard checks its token, so there is nothing to identify here. */
export async function adminPlane(simulation: Simulation): Promise<Plane> {
  const { contract, validator } = await adminContract()
  return {
    contract,
    validator,
    moment: () => simulation.store.moment,
    identify: () => true,
    respond: async (context) => wire(await perform(simulation, context)),
  }
}

async function perform(
  simulation: Simulation,
  context: RequestContext,
): Promise<SomeResult & { allow?: string }> {
  const { request, operation, pathname } = context
  if (context.allow) {
    const allow = context.allow.join(', ')
    const error = `Method Not Allowed: ${request.method} is not one of the methods of this path (${allow})`
    return { status: 405, body: { error }, allow }
  }
  if (!operation) return { status: 404, body: { error: `Not Found: there is no ${pathname}` } }
  try {
    const input = readInput(context, operation)
    return await (operations[operation.operationId] as AdminOperation<never>)(input, simulation)
  } catch (error) {
    const answer = errorAnswer(error)
    if (error instanceof StorageError) simulation.log.error({ path: pathname }, error.message)
    if (answer) return answer
    simulation.log.error({ path: pathname, err: error }, 'a request failed')
    return { status: 500, body: { error: 'Internal Server Error' } }
  }
}

function wire(result: SomeResult & { allow?: string }): WireResponse {
  const { status, allow } = result
  const [type, body] =
    'text' in result
      ? [result.type, result.text]
      : 'body' in result
        ? ['application/json', JSON.stringify(result.body)]
        : ['pieces' in result ? 'application/json' : 'stream' in result ? 'text/event-stream' : undefined, '']
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      ...(type !== undefined && { 'content-type': `${type}; charset=utf-8` }),
      ...(allow !== undefined && { allow }),
      ...(!('stream' in result) &&
        !('pieces' in result) &&
        status !== 204 && { 'content-length': String(Buffer.byteLength(body)) }),
    },
    body,
    ...('stream' in result && { stream: result.stream }),
    ...('pieces' in result && { pieces: result.pieces }),
  }
}
