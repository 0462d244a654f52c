import { isBodyless, type ApiRequest } from './ApiRequest.ts'

/** A module for Node, with its own `fetch`. */
export function node({ method, url, user, headers, body }: ApiRequest): string {
  return [
    `const response = await fetch(${quote(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: ${quote(method)},`]),
    '  headers: {',
    ...(user === undefined
      ? []
      : [`    authorization: 'Basic ' + Buffer.from(${quote(user)}).toString('base64'),`]),
    ...Object.entries(headers).map(([name, value]) => `    ${quote(name)}: ${quote(value)},`),
    '  },',
    ...(body === undefined
      ? []
      : isBodyless(method)
        ? [`  // fetch sends no body with a ${method}; it was ${quote(body)}`]
        : [`  body: ${quote(body)},`]),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function quote(text: string): string {
  const quoted = JSON.stringify(text)
  return text.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`
}
