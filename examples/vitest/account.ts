import { openSimulator } from 'proxysim'
import { afterAll } from 'vitest'

const sim = await openSimulator()

/**
 * An account for this test file, with its own credit, services, clock and faults, so files can run in parallel.
 */
export const account = await sim.createAccount({ scenario: 'default' })
afterAll(() => account.delete())

/** Calls the API as that account. */
export function call(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${sim.url}${path}`, {
    method,
    headers: {
      authorization: account.authorization,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}
