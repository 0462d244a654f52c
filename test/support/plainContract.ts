import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'

/*
 * Checks responses as other tools would: with plain OpenAPI 3.0 and Ajv, without our code and extensions.
 */

interface Response {
  $ref?: string
  content?: Record<string, unknown>
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { responses?: Record<string, Response> }
}

const document = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as Document
const ajv = new Ajv({ strict: false, validateSchema: false, logger: false })
addFormats.default(ajv)
ajv.addSchema(document, 'plain')

const escapeKey = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Returns how a response violates the contract; undefined if it doesn't. */
export function findViolation(
  method: string,
  path: string,
  status: number,
  type: string | undefined,
  body: string,
): string | undefined {
  // Encoded letters mean the same as letters.
  const plain = path.replaceAll(/%(?:[46][1-9a-f]|[57][\da])/gi, decodeURIComponent)
  const template = Object.keys(document.paths)
    .toSorted((a, b) => a.split('{').length - b.split('{').length)
    .find((one) => new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain.split('?', 1)[0] ?? ''))
  const name = method.toLowerCase()
  const declared = template && document.paths[template]?.[name]?.responses[status]
  if (!template || !declared) return `no response ${status} is declared`
  const shared = declared.$ref?.split('/').at(-1)
  const response = shared === undefined ? declared : document.components.responses?.[shared]
  const media = type?.split(';', 1)[0]
  const content = response?.content ?? {}
  if (Object.keys(content).length === 0)
    return body === '' ? undefined : 'a body is sent, but none is declared'
  if (media === undefined || !content[media]) return `the content type ${media} is not declared`
  const at =
    shared === undefined
      ? ['paths', template, name, 'responses', String(status)]
      : ['components', 'responses', shared]
  const check = ajv.getSchema(`plain#/${[...at, 'content', media, 'schema'].map(escapeKey).join('/')}`)
  if (!check) throw new Error(`The contract has no schema at ${at.join('/')}.`)
  let value: unknown = body
  try {
    if (media === 'application/json') value = JSON.parse(body)
  } catch {
    return 'the body is not JSON'
  }
  return check(value) ? undefined : ajv.errorsText(check.errors)
}
