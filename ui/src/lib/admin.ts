import { SimulatorError } from '../../../src/client/SimulatorError.ts'
import type { Issue } from '../../../src/Issue.ts'

const tokenKey = 'proxysim-admin-token'

/** Kept for this tab only. */
export function rememberToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
}

/** The header that the control plane asks for. Not Authorization: a proxy in front may ask for its own password there. */
export function withToken(token = sessionStorage.getItem(tokenKey)): Record<string, string> {
  return token ? { 'x-admin-token': token } : {}
}

/** Whether the control plane asks for its token. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof SimulatorError && error.status === 401
}

/** Calls the control plane. @throws SimulatorError if it refuses, TypeError if the server is gone */
export async function admin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const reply = await fetchAdmin(path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return parse(await reply.text()) as T
}

/** The same, for any request and response; `/__admin` and the token are added. */
export async function fetchAdmin(
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
): Promise<Response> {
  const headers = { ...withToken(), ...init.headers }
  const reply = await fetch(`/__admin${path}`, { ...init, headers })
  if (reply.ok) return reply
  const text = await reply.text()
  const { error, details } = (parse(text) ?? {}) as { error?: unknown; details?: Issue[] }
  const message = typeof error === 'string' ? error : text || `status ${reply.status}`
  throw new SimulatorError(reply.status, message, details)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `?account=LOGIN` */
export function forAccount(account: string): string {
  return `?${new URLSearchParams({ account })}`
}

/** The path of an account's world. */
export function accountPath(login: string): string {
  return `/accounts/${encodeURIComponent(login)}`
}
