import type { ApiRequest } from './ApiRequest.ts'

/** A command for a POSIX shell. */
export function curl({ method, url, user, headers, body }: ApiRequest): string {
  return [
    method === 'GET' ? 'curl -i' : `curl -i -X ${method}`,
    ...(user === undefined ? [] : [`-u ${quote(user)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
    quote(url),
  ].join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
