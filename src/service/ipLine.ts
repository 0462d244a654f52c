/** A line of an IP list: `ip:port` or `ip:port:username:password`, with commas instead of colons in CSV. */
export interface IpLine {
  ip: string
  separator: string
  port: string
  /** The text after the port */
  suffix: string | undefined
  /** Undefined if the suffix has another layout */
  login: { username: string; password: string } | undefined
}

/** Parses a line of an IP list; undefined if it has another layout. */
export function parseIpLine(line: string): IpLine | undefined {
  const [whole, ip = '', separator = '', port = '', suffix] =
    /^((?:\d{1,3}\.){3}\d{1,3})([:,])(\d{1,5})(?:\2(.*))?$/s.exec(line) ?? []
  if (whole === undefined) return undefined
  const [username, password, ...more] =
    separator === ',' ? csvFields(suffix ?? '') : (suffix?.split(/:(.*)/s, 2) ?? [])
  const login =
    username === undefined || password === undefined || more.length > 0 ? undefined : { username, password }
  return { ip, separator, port, suffix, login }
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

export const addressPattern = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g
