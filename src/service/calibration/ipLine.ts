/** A line of an IP list: `ip:port` or `ip:port:username:password`, or the same with commas, as CSV. */
export interface IpLine {
  ip: string
  separator: string
  port: string
  /** The rest after the port */
  rest: string | undefined
  /** Undefined if the rest has another layout */
  login: { username: string; password: string } | undefined
}

/** Parses a line of an IP list; undefined if it has another layout. */
export function parseIpLine(line: string): IpLine | undefined {
  const [whole, ip = '', separator = '', port = '', rest] =
    /^((?:\d{1,3}\.){3}\d{1,3})([:,])(\d{1,5})(?:\2(.*))?$/s.exec(line) ?? []
  if (whole === undefined) return undefined
  const [username, password, ...more] =
    separator === ',' ? csvFields(rest ?? '') : (rest?.split(/:(.*)/s, 2) ?? [])
  const login =
    username === undefined || password === undefined || more.length > 0 ? undefined : { username, password }
  return { ip, separator, port, rest, login }
}

function csvFields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  )
}

/** Quotes a field if the layout requires it. */
export function quoteField(text: string, separator: string): string {
  return separator === ',' && /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
