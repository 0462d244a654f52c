import { Agent, request as requestHttp } from 'node:http'
import { Agent as TlsAgent, request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'

export type Fetch = (url: URL, init: RequestInit) => Promise<Response>

/**
 * Returns a `fetch` that bypasses HTTP proxies, for simulators on this machine. Node's own uses HTTP_PROXY if NODE_USE_ENV_PROXY
 * is set.
 * @param ca a certificate to trust. Node's own `fetch` can only be configured at the start of the process
 */
export function createDirectFetch(ca?: string): Fetch {
  // Our own agents, because the global ones use the proxy.
  const agents = { 'http:': new Agent(), 'https:': new TlsAgent() }
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? requestHttps : requestHttp
      const options = {
        method,
        headers: headers as Record<string, string>,
        agent: agents[url.protocol as keyof typeof agents],
        // The caller chose to trust this certificate, so the host name isn't checked.
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

/** Whether a URL points to this machine, so that no proxy is needed. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
