import { parseJson } from './json.ts'
import { tabStorage } from './storage.ts'
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
  tabStorage.set(tokenKey, token)
}

/** The header with the admin token. A reverse proxy may require its own password in Authorization. */
export function getTokenHeader(token = tabStorage.get(tokenKey)): Record<string, string> {
  return token ? { 'x-admin-token': token } : {}
}

/** The message for a call that got no response. */
export function describeNoResponse(error: unknown): string {
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
  const response = await fetchAdmin(path, { method, ...json })
  return parseJson(await response.text()) as T
}

/** Sends a request to the control plane with the admin token, and returns the response. */
export async function fetchAdmin(
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const response = await fetch(`/__admin${path}`, {
    ...init,
    headers: { ...getTokenHeader(), ...init.headers },
  })
  if (response.ok) return response
  const text = await response.text()
  const { error, details } = (parseJson(text) ?? {}) as { error?: unknown; details?: Issue[] }
  throw new Refusal(
    response.status,
    typeof error === 'string' ? error : text || `Status ${response.status}`,
    details,
  )
}

/** `?account=LOGIN`; empty for all accounts */
export function accountQuery(account: string | undefined): string {
  return account === undefined ? '' : `?${new URLSearchParams({ account })}`
}

export function accountPath(login: string): string {
  return `/accounts/${encodeURIComponent(login)}`
}
