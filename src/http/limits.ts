import type { ServerOptions } from 'node:http'

/** Limits until a request has arrived, in milliseconds and bytes. Those that exceed them are refused (400, 408, 413, 431). */
export const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than the pauses of clients: one that reuses a connection as it is closed gets a reset
  connectionsCheckingInterval: 1000, // how often the timeouts above are checked; Node's default is 30 s
  joinDuplicateHeaders: true, // Node would drop a second Authorization
  requireHostHeader: false, // the guards refuse such requests: Node would do so without an event
} satisfies ServerOptions

/** Further connections are closed: each can hold a body of 1 MB. */
export const maxConnections = 2000
