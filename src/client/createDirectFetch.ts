import { Agent, request as requestHttp } from 'node:http'
import { Agent as TlsAgent, request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'

export type Fetch = (url: URL, init: RequestInit) => Promise<Response>

/**
 * Returns a `fetch` that ignores HTTP_PROXY and can trust a certificate, for simulators on this machine. Node's `fetch` uses
 * HTTP_PROXY if NODE_USE_ENV_PROXY is set, and only trusts certificates that are known when the process starts.
 * @param serverCertificate the server's certificate, in PEM
 */
export function createDirectFetch(serverCertificate?: string): Fetch {
  // The global agents use the proxy.
  const agents = { 'http:': new Agent(), 'https:': new TlsAgent() }
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? requestHttps : requestHttp
      const options = {
        method,
        headers: headers as Record<string, string>,
        agent: agents[url.protocol as keyof typeof agents],
        // This is the server's own certificate, so the host name in it doesn't matter.
        ...(serverCertificate !== undefined && {
          ca: serverCertificate,
          checkServerIdentity: () => undefined,
        }),
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
