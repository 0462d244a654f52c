import type { ApiRequest } from './ApiRequest.ts'

/** A command for a POSIX shell. */
export function curl({ method, url, user, headers, body }: ApiRequest): string {
  return [
    ['curl', ...methodOf(method, body), ...(isOdd(url) ? ['-g', '--path-as-is'] : [])].join(' '),
    ...(user === undefined ? [] : [`-u ${quote(user)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined || method === 'HEAD'
      ? []
      : [`${body.startsWith('@') ? '--data-raw' : '-d'} ${quote(body)}`]),
    quote(url),
  ].join(' \\\n  ')
}

/** A body makes a POST of a GET that is not told; after a HEAD without `-I`, curl waits for a body, and `-I` sends none. */
function methodOf(method: string, body: string | undefined): string[] {
  if (method === 'HEAD') return ['-I']
  return method === 'GET' && body === undefined ? ['-i'] : ['-i', '-X', method]
}

/** What curl would take for a pattern, or tidy up. */
function isOdd(url: string): boolean {
  return /[[\]{}]|\/\.\.?(?:[/?]|$)/.test(url)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
