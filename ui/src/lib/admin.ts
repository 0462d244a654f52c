import { parseJson } from './json.ts'
import type { Issue } from './types.ts'

const tokenKey = 'proxysim-admin-token'

/** The control plane refused a call; nothing has changed. */
export class Refusal extends Error {
  readonly status: number
  readonly details: readonly Issue[]

  constructor(status: number, message: string, details: readonly Issue[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** SnapshotInfo for this tab only. */
export function rememberToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
}

/** Not in Authorization: a proxy in front may ask for its own password there. */
export function withToken(token = sessionStorage.getItem(tokenKey)): Record<string, string> {
  return token ? { 'x-admin-token': token } : {}
}

export function isLockedOut(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401
}

/** Calls the control plane. @throws Refusal if it refuses, TypeError if the server is gone */
export async function admin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const json = body !== undefined && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const reply = await fetchAdmin(path, { method, ...json })
  return parseJson(await reply.text()) as T
}

/** Sends any request and returns the response; adds `/__admin` and the token. */
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
