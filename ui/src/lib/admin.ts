import { parseJson } from './json.ts'
import type { Issue } from './types.ts'

const tokenKey = 'proxysim-admin-token'

/** The control plane refused a call. The state is unchanged. */
export class Refusal extends Error {
  readonly status: number
  readonly details: readonly Issue[]

  constructor(status: number, message: string, details: readonly Issue[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** Stores the admin token for this tab. */
export function storeToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
}

/** Doesn't use Authorization, because a proxy in front may expect its own password there. */
export function withToken(token = sessionStorage.getItem(tokenKey)): Record<string, string> {
  return token ? { 'x-admin-token': token } : {}
}

/** The message for a call that got no response. */
export function notResponding(error: unknown): string {
  return `The simulator isn’t responding (${(error as Error).message}). Check that it is running.`
}

export function isLockedOut(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401
}

/** Calls the control plane. @throws Refusal if it refuses, TypeError if the server doesn't respond */
export async function admin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const json = body !== undefined && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const reply = await fetchAdmin(path, { method, ...json })
  return parseJson(await reply.text()) as T
}

/** Sends a request to the control plane with the admin token, and returns the response. */
export async function fetchAdmin(
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const reply = await fetch(`/__admin${path}`, { ...init, headers: { ...withToken(), ...init.headers } })
  if (reply.ok) return reply
  const text = await reply.text()
  const { error, details } = (parseJson(text) ?? {}) as { error?: unknown; details?: Issue[] }
  throw new Refusal(
    reply.status,
    typeof error === 'string' ? error : text || `Status ${reply.status}`,
    details,
  )
}

/** `?account=LOGIN`; empty for all accounts */
export function forAccount(account: string | undefined): string {
  return account === undefined ? '' : `?${new URLSearchParams({ account })}`
}

export function accountPath(login: string): string {
  return `/accounts/${encodeURIComponent(login)}`
}
