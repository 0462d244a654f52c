import { UserError } from './UserError.ts'

/** @throws UserError if no header can contain the token */
export function checkAdminToken(token: string): void {
  if (!/^[\u0021-\u007e]+$/.test(token))
    throw new UserError(
      'The admin token must be one or more printable ASCII characters without spaces (--admin-token).',
    )
}

/** Makes a text fit into a header: printable ASCII, at most 500 characters. */
export function headerText(text: string): string {
  return text.replace(/[^\u0020-\u007e]/g, '?').slice(0, 500)
}

/** The names and values that alternate in a list, as in Redis' replies and Node's raw headers. */
export function pairsOf(flat: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let at = 1; at < flat.length; at += 2) pairs.push([flat[at - 1] as string, flat[at] as string])
  return pairs
}

/** What a request asks for. */
interface Target {
  /** Of a whole URL, as proxies are sent */
  scheme?: string | undefined
  host?: string | undefined
  /** Path and query; `*` if the request is about the server */
  path: string
}

/** Reads the target of a request's first line: a path, a whole URL, or `*`. */
export function readTarget(target: string): Target {
  const [, scheme, host, rest = ''] = /^(\w+):\/\/([^/?#]*)(.*)$/.exec(target) ?? []
  if (host === undefined) return { path: target }
  return { scheme: scheme?.toLowerCase(), host, path: rest.startsWith('/') ? rest : `/${rest}` }
}
