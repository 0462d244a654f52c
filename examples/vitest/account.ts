import { connectSimulator } from 'proxy-reselling-simulator'
import { inject } from 'vitest'

const sim = await connectSimulator(inject('simulatorUrl'))

/**
 * An account that this test file has to itself: credit, services, clock and faults are its own, so other files can
 * run at the same time.
 */
export const account = await sim.createAccount({ scenario: 'default' })

/** Asks the API as that account. */
export function ask(method: string, path: string, body?: object): Promise<Response> {
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
