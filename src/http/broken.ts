import type { Simulation } from '../Simulation.ts'
import type { ApiResponse } from './ApiResponse.ts'
import type { RequestContext } from './RequestContext.ts'

/** An answer of ours that breaks the contract is a bug of ours: it says so. */
export function broken(
  simulation: Simulation,
  context: RequestContext,
  violations: string[],
  error?: unknown,
): ApiResponse {
  simulation.log.error(
    { operation: context.operation?.operationId, path: context.request.url, violations, err: error },
    'an answer broke the contract',
  )
  context.violations.push(...violations)
  const body = { error: `The simulator's answer breaks the contract: ${violations.join('; ')}`, violations }
  return {
    status: 500,
    type: 'application/json',
    body: JSON.stringify(body),
    case: 'contract-violation',
    reason: violations.join('; '),
  }
}
