import type { components } from '../../../src/admin/admin.gen.ts'

type WrongInput = components['schemas']['WrongInput']
type Detail = WrongInput['details'][number]

/** A refusal of the control plane; `details` name the places. */
export class AdminError extends Error {
  readonly status: number
  readonly details: readonly Detail[]

  constructor(status: number, message: string, details: readonly Detail[]) {
    super(message)
    this.status = status
    this.details = details
  }
}

const tokenKey = 'proxysim-admin-token'

/** Kept for this tab only. */
export function rememberToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
}

/** The headers that open the control plane where it asks for a token. */
export function adminHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(tokenKey)
  return token ? { 'x-admin-token': token } : {}
}

/** Calls the control plane. @throws AdminError */
export async function admin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const text = await adminText(path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return parse(text) as T
}

/** The same, for a response that is not JSON. @throws AdminError */
export async function adminText(path: string, init: RequestInit): Promise<string> {
  const reply = await fetch(`/__admin${path}`, {
    ...init,
    headers: { ...adminHeaders(), ...(init.headers as Record<string, string> | undefined) },
  })
  const text = await reply.text()
  if (!reply.ok) throw toError(reply.status, parse(text), text)
  return text
}

function toError(status: number, value: unknown, text: string): AdminError {
  const { error, details = [] } = (value ?? {}) as Partial<WrongInput>
  return new AdminError(status, typeof error === 'string' ? error : text || `status ${status}`, details)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `?account=LOGIN`, and more where it is named. */
export function forAccount(account: string, more: Record<string, string> = {}): string {
  return `?${new URLSearchParams({ account, ...more })}`
}

/** The path of an account's world. */
export function accountPath(login: string): string {
  return `/accounts/${encodeURIComponent(login)}`
}
