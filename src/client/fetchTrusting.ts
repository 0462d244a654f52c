import { request } from 'node:https'
import { Readable } from 'node:stream'

/**
 * A `fetch` that trusts one certificate, which Node's own can only be told when the process starts: for the handle of a
 * simulator that was started with `tls`.
 */
export function fetchTrusting(ca: string | Buffer): (url: URL, init: RequestInit) => Promise<Response> {
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const options = {
        method,
        headers: headers as Record<string, string>,
        ca,
        // It is the certificate that was given to us, whatever name it is for.
        checkServerIdentity: () => undefined,
        ...(signal && { signal }),
      }
      request(url, options, (incoming) => {
        const { statusCode: status = 0, headers: received } = incoming
        const hasBody = status !== 204 && status !== 304
        if (!hasBody) incoming.resume()
        const content = hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null
        resolve(new Response(content, { status, headers: received as Record<string, string> }))
      })
        .on('error', reject)
        .end(body ?? undefined)
    })
}
