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
