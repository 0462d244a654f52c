import {
  asArray,
  asObject,
  type Contract,
  type ContractOperation,
  type Schema,
} from '../contract/Contract.ts'
import { isSecretName } from '../journal/redaction/isSecretName.ts'
import { redacted } from '../journal/redaction/Redactor.ts'
import { jsonOf } from '../lib/json.ts'
import { isIpv4 } from '../world/addresses.ts'
import { fromBase64 } from '../world/base64.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Exchange } from './Exchange.ts'
import { ipLineField, ipLineOf } from './ipLine.ts'
import { anyAddress, kindOfField, Placeholders } from './Placeholders.ts'
import { caseOf, errorText, linesOf, mismatch, unquoted } from './schemas.ts'

/** Headers that are shown with their values; of others, only the name is, and of those named like a secret nothing. */
const shownHeaders =
  /^(?:accept|allow|cache-control|connection|content-encoding|content-length|content-type|date|keep-alive|retry-after|transfer-encoding|vary)$/

/** The contract's name for what has none, such as an item of a list */
const unnamed = ''

/** The schemas that a field has somewhere in an operation's requests and responses */
type Fields = Map<string, Schema[]>

/**
 * Redacts recordings by an allow-list, the fields of the contract: personal values get placeholders, and anything that isn't
 * in the contract is hidden.
 */
export class RecordingRedactor {
  readonly #placeholders: Placeholders
  readonly #fields: ReadonlyMap<ContractOperation, Fields>
  /** Those of the operation whose exchange is being redacted */
  #own: Fields = new Map()

  constructor(placeholders: Placeholders, { operations }: Contract) {
    this.#placeholders = placeholders
    this.#fields = new Map(operations.map((operation) => [operation, fieldsOf(operation)]))
  }

  /** A redactor that has read these exchanges, so that it knows every secret before anything is shown. */
  static of(
    exchanges: readonly Exchange[],
    secrets: Iterable<string>,
    keep: readonly string[],
    contract: Contract,
  ): RecordingRedactor {
    const placeholders = new Placeholders(keep)
    for (const secret of secrets) placeholders.learn(secret)
    const redactor = new RecordingRedactor(placeholders, contract)
    for (const exchange of exchanges) redactor.exchange(exchange)
    return redactor
  }

  /** The exchange with placeholders: whatever is compared or shown of it comes from here. */
  exchange(exchange: Exchange): Exchange {
    const { operation, request, response } = exchange
    this.#own = this.#fields.get(operation) ?? new Map<string, Schema[]>()
    const path = Object.fromEntries(
      Object.entries(exchange.path).map(([name, value]) => [name, this.#parameter(value, name)]),
    )
    const filled = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? ''),
    )
    const query = [...new URLSearchParams(request.url.split('?').slice(1).join('?'))]
    const [asked, answered] = [this.#requestBody(request), this.#responseBody(operation, response)]
    return {
      ...exchange,
      path,
      request: {
        ...request,
        url: filled + (query.length ? `?${query.map(() => 'redacted=redacted').join('&')}` : ''),
        contentType: request.contentType && this.#placeholders.scrub(request.contentType),
        body: asked,
        value: jsonOf(asked),
      },
      response: {
        ...response,
        type: response.type && this.#placeholders.scrub(response.type),
        body: answered,
        value: jsonOf(answered),
      },
    }
  }

  headers(headers: readonly (readonly [string, string])[]): { name: string; value: string }[] {
    return headers
      .filter(([name]) => !isSecretName(name))
      .map(([name, value]) => {
        const isShown = shownHeaders.test(name.toLowerCase()) || this.#placeholders.keeps(name.toLowerCase())
        return { name, value: isShown ? this.#placeholders.scrub(value) : redacted }
      })
  }

  /** An invalid value stays invalid. */
  #parameter(value: string, name: string): string {
    return this.#isOfContract(value, name)
      ? this.#placeholders.scrub(value)
      : this.#placeholders.of('text', value).replace(/[^\w-]+/g, '-')
  }

  #requestBody({ body, value }: Exchange['request']): string | undefined {
    if (body === undefined || body === '') return body
    if (!isObject(value)) return this.#placeholders.of('text', body)
    const { password } = value
    const safe = asObject(this.#value(value, unnamed))
    if (typeof password === 'string') safe['password'] = this.#password(password)
    return JSON.stringify(safe)
  }

  #responseBody(operation: ContractOperation, response: Exchange['response']): string {
    const { status, body, value } = response
    if (body === '') return ''
    if (status >= 400) {
      // Only error texts of the contract are shown: any other may contain anything.
      const text = errorText(response)
      const safe = caseOf(operation, response)?.isFree === false ? text : this.#placeholders.of('text', text)
      if (isObject(value)) return JSON.stringify({ ...asObject(this.#value(value, unnamed)), error: safe })
      return value === undefined ? safe : JSON.stringify(safe)
    }
    if (value !== undefined) return JSON.stringify(this.#value(value, unnamed))
    const isList = Object.keys(operation.responses[status]?.content ?? {}).some((type) =>
      type.startsWith('text/'),
    )
    if (!isList) return this.#placeholders.of('text', body)
    return linesOf(body)
      .map((line) => `${this.#line(line)}\n`)
      .join('')
  }

  #value(value: unknown, field: string): unknown {
    if (value === null || this.#placeholders.keeps(field)) return value
    if (Array.isArray(value)) return value.map((item) => this.#value(item, field))
    if (typeof value === 'string') return this.#string(value, field)
    if (!isObject(value)) return this.#isOfContract(value, field) ? value : hidden(value)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) =>
        this.#own.has(name)
          ? [name, this.#value(item, name)]
          : [this.#placeholders.name(name), this.#unknown(item, name)],
      ),
    )
  }

  /** A value that isn't in the contract: only its type is kept, and that it is an address. */
  #unknown(value: unknown, field: string): unknown {
    if (this.#placeholders.keeps(field)) return value
    return typeof value === 'string' && isIpv4(value) ? this.#placeholders.of('ip', value) : hidden(value)
  }

  #string(value: string, field: string): string {
    const kind = kindOfField(field)
    if (kind !== undefined) return this.#placeholders.of(kind, value)
    if (isIpv4(value)) return this.#placeholders.of('ip', value)
    if (ipLineOf(value)) return this.#line(value)
    return this.#isOfContract(value, field)
      ? this.#placeholders.scrub(value)
      : this.#placeholders.of('text', value)
  }

  /** Whether the contract has such a value for a field; a quoted number counts as a number. */
  #isOfContract(value: unknown, field: string): boolean {
    const schemas = kindOfField(field) === undefined ? (this.#own.get(field) ?? []) : []
    return schemas.some((schema) => {
      if (schema['format'] === 'date') return /^[\d :T-]{10,19}Z?$/.test(String(value))
      return (
        schema['type'] !== undefined &&
        mismatch({ ...schema, minimum: undefined }, unquoted(schema, value)) === undefined
      )
    })
  }

  /** Base64 gets the placeholder in base64; anything else stays invalid. */
  #password(value: string): string {
    const decoded = /^[A-Za-z0-9+/]{4,}={0,2}$/.test(value) ? fromBase64(value) : undefined
    const invalid = this.#placeholders.of('password', value)
    return decoded ? Buffer.from(this.#placeholders.of('password', decoded)).toString('base64') : invalid
  }

  /** A line of an IP list. Of lines of another layout, only the address is kept. */
  #line(line: string): string {
    if (line === '' || /^[a-z_]+(?:[,;][a-z_]+)+$/.test(line)) return line // a header row
    const parts = ipLineOf(line)
    if (!parts) {
      const [ip] = line.match(anyAddress) ?? []
      const shown = ip === undefined ? '' : this.#placeholders.of('ip', ip)
      return ip === line ? shown : `${shown} ${this.#placeholders.of('text', line)}`.trim()
    }
    const { ip, mark, port, rest, login } = parts
    const named = login
      ? [this.#placeholders.of('username', login.username), this.#placeholders.of('password', login.password)]
      : [rest ?? []].flat().map((text) => this.#placeholders.of('text', text))
    return [this.#placeholders.of('ip', ip), port, ...named.map((one) => ipLineField(one, mark))].join(mark)
  }
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return { string: redacted, number: 0, boolean: false, object: value && {} }[typeof value as string]
}

function fieldsOf({ schema }: ContractOperation): Fields {
  const fields: Fields = new Map()
  const learn = (field: string, one: Schema): void => {
    fields.set(field, [...(fields.get(field) ?? []), one])
    for (const [name, below] of Object.entries(asObject(one['properties']))) learn(name, asObject(below))
    if (one['items']) learn(field, asObject(one['items']))
    for (const list of ['oneOf', 'anyOf', 'allOf'])
      for (const below of asArray(one[list])) learn(field, asObject(below))
  }
  for (const { name, schema: own } of asArray(schema['parameters']).map(asObject))
    learn(String(name), asObject(own))
  for (const part of [schema['requestBody'], ...Object.values(asObject(schema['responses']))])
    for (const media of Object.values(asObject(asObject(part)['content'])))
      learn(unnamed, asObject(asObject(media)['schema']))
  return fields
}
