import { formatBasicAuth, formatCurl, type ApiRequest } from '../src/lib/apiRequest.ts'
import { parseJson } from '../src/lib/json.ts'

/** Languages of the code samples, with the function that writes one */
const writers = { curl: formatCurl, PHP: writePhp, Python: writePython, TypeScript: writeTypeScript }

export type Language = keyof typeof writers
export const languages = Object.keys(writers) as Language[]

/** Writes a program that sends the request and prints its response. @param origin the simulator's origin */
export function createSample(language: Language, request: ApiRequest, origin: string): string {
  return writers[language](request, origin)
}

function writePhp({ method, path, headers, user, body }: ApiRequest, origin: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `    ${quote(`${name}: ${value}`)},`)
  const options = [
    ...(method === 'GET' ? [] : [`CURLOPT_CUSTOMREQUEST => ${quote(method)},`]),
    ...(user === undefined ? [] : [`CURLOPT_USERPWD => ${quote(user)},`]),
    ...(lines.length === 0 ? [] : ['CURLOPT_HTTPHEADER => [', ...lines, '],']),
    ...(body === undefined ? [] : [`CURLOPT_POSTFIELDS => json_encode(${write(body, phpLiterals)}),`]),
    'CURLOPT_RETURNTRANSFER => true,',
    'CURLOPT_TIMEOUT => 30,',
  ]
  return `$curl = curl_init(${quote(origin + path)});
curl_setopt_array($curl, [
${indent(options)}
]);
$body = curl_exec($curl);
if ($body === false) {
    throw new RuntimeException(curl_error($curl));
}
echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), "\\n", $body, "\\n";`
}

function writePython({ method, path, headers, user, body }: ApiRequest, origin: string): string {
  const [login = '', ...password] = user?.split(':') ?? []
  const lines = Object.entries(headers).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  const options = [
    `${JSON.stringify(origin + path)},`,
    ...(user === undefined
      ? []
      : [`auth=(${JSON.stringify(login)}, ${JSON.stringify(password.join(':'))}),`]),
    ...(lines.length === 0 ? [] : ['headers={', ...lines, '},']),
    ...(body === undefined ? [] : [`json=${write(body, pythonLiterals)},`]),
    'timeout=30,',
  ]
  return `import requests

response = requests.${method.toLowerCase()}(
${indent(options)}
)
print(response.status_code, response.text)`
}

function writeTypeScript({ method, path, headers, user, body }: ApiRequest, origin: string): string {
  // btoa accepts Latin-1 only.
  const encode = (text: string) =>
    /^[ -~]*$/.test(text) ? `\`Basic \${btoa(${quote(text)})}\`` : quote(formatBasicAuth(text))
  const fields = [
    ...Object.entries(headers).map(([name, value]) => `${writeKey(name)}: ${quote(value)},`),
    ...(user === undefined ? [] : [`authorization: ${encode(user)},`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quote(method)},`]),
    ...(fields.length === 0 ? [] : ['headers: {', ...fields.map((field) => `  ${field}`), '},']),
    ...(body === undefined ? [] : [`body: JSON.stringify(${write(body, scriptLiterals)}),`]),
    'signal: AbortSignal.timeout(30_000),',
  ]
  return `const response = await fetch(${quote(origin + path)}, {
${indent(options, '  ')}
})
console.log(response.status, await response.text())`
}

interface Literals {
  text: (text: string) => string
  /** The words for true, false and null */
  words: readonly [string, string, string]
  braces: readonly [open: string, close: string]
  pair: (key: string, value: string) => string
}

const scriptLiterals: Literals = {
  text: quote,
  words: ['true', 'false', 'null'],
  braces: ['{ ', ' }'],
  pair: (key, value) => `${writeKey(key)}: ${value}`,
}
const phpLiterals: Literals = {
  ...scriptLiterals,
  braces: ['[', ']'],
  pair: (key, value) => `${quote(key)} => ${value}`,
}
const pythonLiterals: Literals = {
  text: (text) => JSON.stringify(text),
  words: ['True', 'False', 'None'],
  braces: ['{', '}'],
  pair: (key, value) => `${JSON.stringify(key)}: ${value}`,
}

/** Writes a JSON text as a literal of a language. Text that isn't JSON becomes a string. */
function write(json: string, literals: Literals): string {
  const { text, words, braces, pair } = literals
  const writeValue = (value: unknown): string => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return String(value)
    if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`
    if (typeof value !== 'object' || value === null)
      return words[[true, false].indexOf(value as boolean)] ?? words[2]
    const pairs = Object.entries(value).map(([key, one]) => pair(key, writeValue(one)))
    return `${braces[0]}${pairs.join(', ')}${braces[1]}`
  }
  return writeValue(parseJson(json) ?? json)
}

function writeKey(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : quote(name)
}

/** A string in single quotes, for PHP and TypeScript. Line breaks are only valid in PHP's. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function indent(lines: readonly string[], by = '    '): string {
  return lines.map((line) => by + line).join('\n')
}
