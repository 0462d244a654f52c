import createClient, { type Client } from 'openapi-fetch'
import type { paths } from 'proxysim'

/** A client of the API. The contract gives the types of its paths, bodies and responses. */
export function createApiClient(baseUrl: string, login: string, password: string): Client<paths> {
  return createClient<paths>({
    baseUrl,
    headers: {
      Authorization: `Basic ${btoa(`${login}:${password}`)}`,
      Accept: 'application/json',
      'Content-Type': 'application/json',
    },
  })
}
