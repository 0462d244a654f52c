import type { Plane, RequestContext } from '../http/handleRequest.ts'
import type { WireResponse } from '../http/Wire.ts'
import { UnknownScenario } from '../scenario/NameIndex.ts'
import { describeIssue, ScenarioError } from '../scenario/ScenarioError.ts'
import type { Simulation } from '../Simulation.ts'
import { StorageError } from '../store/StorageError.ts'
import { adminContract } from './adminContract.ts'
import * as adminOperations from './adminOperations.ts'
import { AdminError, andMore } from './AdminError.ts'
import type { AdminOperation, AdminOperationId } from './AdminOperation.ts'
import { readInput } from './readInput.ts'

/** By operationId; a missing one is a compile error. Copied like the handlers of `apiPlane`. */
const operations = Object.assign({}, adminOperations) satisfies {
  [Op in AdminOperationId]: AdminOperation<Op>
} as unknown as Record<string, AdminOperation<never>>

/** Any result of an operation. */
interface SomeResult {
  status: number
  body?: unknown
  type?: string
  text?: string
  stream?: WireResponse['stream']
}

/** The control plane. A guard checks its token, so there is nothing to identify here. */
export async function adminPlane(simulation: Simulation): Promise<Plane> {
  return {
    contract: await adminContract(),
    identify: () => true,
    respond: async (context) => {
      const response = wire(await perform(simulation, context))
      if (context.allow) response.headers['allow'] = context.allow.join(', ')
      return response
    },
  }
}

async function perform(simulation: Simulation, context: RequestContext): Promise<SomeResult> {
  const { request, operation, pathname, allow } = context
  try {
    if (allow)
      throw new AdminError(
        405,
        `Method Not Allowed: ${request.method} is not one of the methods of this path (${allow.join(', ')})`,
      )
    if (!operation) throw new AdminError(404, `Not Found: there is no ${pathname}`)
    const input = readInput(context, operation)
    return await (operations[operation.operationId] as AdminOperation<never>)(input, simulation)
  } catch (error) {
    if (error instanceof StorageError) simulation.log.error({ path: pathname }, error.message)
    const answer = errorAnswer(error)
    if (answer) return answer
    simulation.log.error({ path: pathname, err: error }, 'a request failed')
    return { status: 500, body: { error: 'Internal Server Error' } }
  }
}

/** The response to a thrown error; undefined if it is a bug. */
function errorAnswer(error: unknown): SomeResult | undefined {
  if (error instanceof AdminError) {
    const { status, message, details } = error
    return { status, body: { error: message, details } }
  }
  if (error instanceof ScenarioError) {
    const { issues } = error
    const first = issues[0] ? describeIssue(issues[0]) : error.message
    return {
      status: 400,
      body: { error: `The scenario is invalid. ${first}${andMore(issues)}`, details: issues },
    }
  }
  if (error instanceof UnknownScenario) return { status: 404, body: { error: error.message } }
  if (error instanceof StorageError) return { status: 503, body: { error: error.message } }
  return undefined
}

function wire({ status, body, type, text, stream }: SomeResult): WireResponse {
  const content = text ?? (body === undefined ? '' : JSON.stringify(body))
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  if (status !== 204)
    headers['content-type'] = `${type ?? (stream ? 'text/event-stream' : 'application/json')}; charset=utf-8`
  if (status !== 204 && !stream) headers['content-length'] = String(Buffer.byteLength(content))
  return { status, headers, body: content, stream }
}
