import type { Simulation } from '../Simulation.ts'
import type { Result } from './Result.ts'
import type { Trip } from './Trip.ts'

/** An answer of ours that breaks the contract is a bug of ours: it says so. */
export function broken(simulation: Simulation, trip: Trip, violations: string[], error?: unknown): Result {
  simulation.log.error(
    { operation: trip.operation?.operationId, path: trip.request.url, violations, err: error },
    'an answer broke the contract',
  )
  trip.violations.push(...violations)
  const body = { error: `The simulator's answer breaks the contract: ${violations.join('; ')}`, violations }
  return {
    status: 500,
    type: 'application/json',
    body: JSON.stringify(body),
    case: 'contract-violation',
    reason: violations.join('; '),
  }
}
