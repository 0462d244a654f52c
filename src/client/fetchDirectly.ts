import { Agent, request as requestHttp } from 'node:http'
import { Agent as TlsAgent, request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'

export type Fetch = (url: URL, init: RequestInit) => Promise<Response>

/**
 * A `fetch` that ignores HTTP_PROXY, which Node's own obeys with NODE_USE_ENV_PROXY: for simulators on this machine.
 * @param ca a certificate to trust, as only the start of a process can tell Node's own
 */
export function fetchDirectly(ca?: string): Fetch {
  // Agents of our own: the global ones obey the proxy, too.
  const agents = { 'http:': new Agent(), 'https:': new TlsAgent() }
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? requestHttps : requestHttp
      const options = {
        method,
        headers: headers as Record<string, string>,
        agent: agents[url.protocol as keyof typeof agents],
        // It is the certificate that was given to us, whatever name it is for.
        ...(ca !== undefined && { ca, checkServerIdentity: () => undefined }),
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

/** Whether a URL leads to this machine, so that no proxy is wanted. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
