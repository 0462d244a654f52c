import { Agent, globalAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, globalAgent as globalTlsAgent, request as requestHttps } from 'node:https'
import type { URL } from 'node:url'

export interface SentRequest {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/** Sends a request. Resolves with the response once its headers are there. */
export type Send = (url: URL, request: SentRequest) => Promise<IncomingMessage>

/**
 * Creates a sender that uses Node's HTTP client. Test environments such as happy-dom replace `fetch` by one that refuses other
 * origins, and `fetch` only trusts certificates that are known when the process starts.
 * @param serverCertificate the server's certificate, in PEM
 */
export function createSender(base: URL, serverCertificate?: string): Send {
  // Only the global agents use the proxy of NODE_USE_ENV_PROXY, which can't reach this machine.
  const isLocal = isLoopback(base)
  const agents = {
    'http:': isLocal ? new Agent() : globalAgent,
    'https:': isLocal ? new TlsAgent() : globalTlsAgent,
  }
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? requestHttps : requestHttp
      const options = {
        method,
        headers,
        agent: agents[url.protocol as keyof typeof agents],
        // This is the server's own certificate, so the host name in it doesn't matter.
        ...(serverCertificate !== undefined && {
          ca: serverCertificate,
          checkServerIdentity: () => undefined,
        }),
        ...(signal && { signal }),
      }
      request(url, options, resolve).on('error', reject).end(body)
    })
}

/** Whether a URL points to this machine, so that no proxy is needed. */
function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
