import type { LoadGenerator, Sample } from './LoadGenerator.ts'
import type { Server } from './Server.ts'
import { password, type Workload } from './Workload.ts'

const headers = { 'content-type': 'application/json' }

/** Creates accounts `acct_1`, `acct_2`… @returns the measurements of the requests that created them */
export async function createAccounts(load: LoadGenerator, server: Server, requests: number): Promise<Sample> {
  const creation: Workload = {
    name: 'create an account',
    method: 'POST',
    path: '/__admin/accounts',
    headers,
    body: '{"login":"acct_{n}"}',
    status: 201,
  }
  const created = await load.run(server, { workload: creation, connections: 32, requests })
  // Each new account has a different password.
  const path = '/__admin/accounts/acct_1'
  const paths = Array.from({ length: requests }, (_, i) => `/__admin/accounts/acct_${i + 1}`)
  const setPassword: Workload = {
    name: 'set a password',
    method: 'PATCH',
    path,
    paths,
    headers,
    body: JSON.stringify({ password }),
    status: 200,
  }
  await load.run(server, { workload: setPassword, connections: 32, requests })
  return created
}
