import { UserError } from './UserError.ts'

/** @throws UserError if the token can't be sent in a header */
export function checkAdminToken(token: string): void {
  if (!/^[\u0021-\u007e]+$/.test(token))
    throw new UserError('The admin token must be one or more printable ASCII characters without spaces.', {
      options: ['adminToken'],
    })
}

/** Makes a text fit into a header: printable ASCII, at most 500 characters. */
export function headerText(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?').slice(0, 500)
}

/** Groups a list of alternating names and values, such as a reply of Redis or Node's raw headers, into pairs. */
export function toPairs(flat: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let at = 1; at < flat.length; at += 2) pairs.push([flat[at - 1] as string, flat[at] as string])
  return pairs
}

/** Statuses whose responses never have content (RFC 9110). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/** Connection headers, which only the server may set. */
export const connectionHeaders = ['connection', 'content-length', 'trailer', 'transfer-encoding', 'upgrade']

/** Whether a TLS handshake failed because the server doesn't use TLS. */
export function isNotTls({ message }: Error): boolean {
  return /wrong version number|packet length too long/.test(message)
}

/** Whether a path, or a URL without a host, belongs to the simulated API. Case-insensitive, like Express. */
export function isApi(path: string): boolean {
  return /^\/api(?:[/?]|$)/i.test(decodeUnreserved(path))
}

/** Whether a path, or a URL without a host, belongs to the control plane. */
export function isAdmin(path: string): boolean {
  return /^\/__admin(?:[/?]|$)/i.test(decodeUnreserved(path))
}

/** Decodes letters, digits, `-`, `.`, `_` and `~`, which mean the same encoded (RFC 3986 §6.2.2.2). */
export function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path
  return path.replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escape
  })
}
