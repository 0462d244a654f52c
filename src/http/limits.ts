import type { ServerOptions } from 'node:http'

/** Limits for incoming requests, in milliseconds and bytes. Requests that exceed them are refused (400, 408, 413, 431). */
export const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than typical pauses of clients: reusing a connection that is being closed fails with a reset
  connectionsCheckingInterval: 1000, // interval for checking the timeouts above; Node's default is 30 s
  joinDuplicateHeaders: true, // Node would drop a second Authorization
  requireHostHeader: false, // the guards refuse such requests; Node would do so without an event
} satisfies ServerOptions

/** Maximum number of connections, each of which can hold a body of 1 MB. Further ones are closed. */
export const maxConnections = 2000
