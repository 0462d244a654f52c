import type { ApiRequest } from './ApiRequest.ts'

/** A program for Python, with `requests`. */
export function python({ method, url, user, headers, body }: ApiRequest): string {
  return [
    'import requests',
    '',
    'response = requests.request(',
    `    ${quote(method)},`,
    `    ${quote(url)},`,
    ...(user === undefined ? [] : [`    auth=(${credentials(user).map(quote).join(', ')}),`]),
    '    headers={',
    ...Object.entries(headers).map(([name, value]) => `        ${quote(name)}: ${quote(value)},`),
    '    },',
    ...(body === undefined ? [] : [`    data=${quote(body)}.encode(),`]),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

/** Login and password; the password may have colons. */
function credentials(user: string): string[] {
  const at = user.indexOf(':')
  return [user.slice(0, at), user.slice(at + 1)]
}

/** JSON's texts are Python's. */
function quote(text: string): string {
  return JSON.stringify(text)
}
