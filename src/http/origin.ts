import type { IncomingMessage } from 'node:http'

/** The simulator's origin from the client's point of view: `http://127.0.0.1:4010`. */
export function originOf({ headers, socket }: IncomingMessage): string {
  const { localAddress = '127.0.0.1', localPort } = socket
  // HTTP/1.0 doesn't require a Host.
  const own = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
  return `${'encrypted' in socket ? 'https' : 'http'}://${headers.host ?? own}`
}
