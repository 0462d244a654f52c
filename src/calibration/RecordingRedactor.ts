import {
  asObject,
  mediaOf,
  type Contract,
  type ContractOperation,
  type Schema,
} from '../contract/Contract.ts'
import { isSecretName } from '../journal/redaction/isSecretName.ts'
import { redacted } from '../journal/redaction/Redactor.ts'
import { jsonOf } from '../lib/json.ts'
import { fromBase64 } from '../world/base64.ts'
import { isIpv4 } from '../world/addresses.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { ipLineField, ipLineOf } from './ipLine.ts'
import { kindOfField, Placeholders } from './Placeholders.ts'

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
  /** Those of the contract, which can't be secrets: a password may be a word of one */
  readonly #mediaTypes = new Set<string>()
  readonly #fields = new Map<ContractOperation, Fields>()
  /** Those of the operation whose exchange is being redacted */
  #own: Fields = new Map()

  constructor(placeholders: Placeholders, { operations }: Contract) {
    this.#placeholders = placeholders
    for (const operation of operations) {
      this.#fields.set(operation, fieldsOf(operation))
      for (const type of operation.bodyTypes) this.#mediaTypes.add(type)
      for (const { content } of Object.values(operation.responses))
        for (const type of Object.keys(content)) this.#mediaTypes.add(type)
    }
  }

  /** A redactor that has read these exchanges, so that it knows every secret before anything is shown. */
  static of(
    exchanges: readonly Exchange[],
    secrets: Iterable<string>,
    keep: readonly string[],
    contract: Contract,
  ): RecordingRedactor {
    const texts = exchanges.flatMap(({ response, request }) => [response.body, request.body ?? ''])
    const placeholders = new Placeholders(
      keep,
      new Set(texts.flatMap((text) => text.match(/[\w.+@-]+/g) ?? [])),
    )
    for (const secret of secrets) placeholders.learn(secret)
    const redactor = new RecordingRedactor(placeholders, contract)
    for (const exchange of exchanges) redactor.exchange(exchange)
    return redactor
  }

  /** The exchange with placeholders: whatever is judged or shown of it comes from here. */
  exchange(exchange: Exchange): Exchange {
    const { operation, request, response } = exchange
    this.#own = this.#fields.get(operation) ?? new Map<string, Schema[]>()
    const path = Object.fromEntries(
      Object.entries(exchange.path).map(([name, value]) => [name, this.#parameter(value, name)]),
    )
    const body = this.#request(request)
    const answered = this.#answer(operation, response)
    const query = [...new URLSearchParams(request.url.split('?').slice(1).join('?'))]
    return {
      ...exchange,
      path,
      request: {
        ...request,
        url:
          operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')) +
          (query.length ? `?${query.map(() => 'redacted=redacted').join('&')}` : ''),
        contentType: this.#contentType(request.contentType),
        body,
        value: jsonOf(body),
      },
      response: {
        ...response,
        type: this.#contentType(response.type),
        body: answered,
        value: jsonOf(answered),
      },
    }
  }

  headers(headers: readonly (readonly [string, string])[]): { name: string; value: string }[] {
    return headers
      .filter(([name]) => !isSecretName(name))
      .map(([name, value]) => ({ name, value: this.#header(name.toLowerCase(), value) }))
  }

  #header(name: string, value: string): string {
    const isShown = shownHeaders.test(name) && /^[\x20-\x7e]*$/.test(value)
    if (!isShown && !this.#placeholders.keeps(name)) return redacted
    const [media = ''] = name === 'content-type' ? value.split(';', 1) : []
    return this.#mediaTypes.has(mediaOf(media) ?? '')
      ? media + this.#placeholders.scrub(value.slice(media.length))
      : this.#placeholders.scrub(value)
  }

  #contentType(value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.#header('content-type', value)
  }

  /** An invalid value stays invalid. */
  #parameter(value: string, name: string): string {
    return this.#isOfContract(value, name)
      ? this.#placeholders.scrub(value)
      : this.#placeholders.of('text', value).replace(/[^\w-]+/g, '-')
  }

  #request({ body, value }: Exchange['request']): string | undefined {
    if (body === undefined || body === '') return body
    if (!isObject(value)) return this.#placeholders.of('text', body)
    const safe = this.#value(value, unnamed) as Record<string, unknown>
    if (typeof value['password'] === 'string') safe['password'] = this.#password(value['password'])
    return JSON.stringify(safe)
  }

  #answer({ cases, responses }: ContractOperation, { status, body, value }: RecordedResponse): string {
    if (body === '') return ''
    const error = isObject(value) ? value['error'] : (value ?? body)
    if (status >= 400 && typeof error === 'string') {
      // Only error texts of the contract are shown: any other may contain anything.
      const isKnown = cases.some(
        (one) => timeless(isObject(one.value) ? one.value['error'] : one.value) === timeless(error),
      )
      const safe = isKnown ? error : this.#placeholders.of('text', error)
      if (!isObject(value)) return value === undefined ? safe : JSON.stringify(safe)
      return JSON.stringify({ ...(this.#value(value, unnamed) as object), error: safe })
    }
    if (value !== undefined) return JSON.stringify(this.#value(value, unnamed))
    return Object.keys(responses[status]?.content ?? {}).some((type) => type.startsWith('text/'))
      ? `${body
          .trimEnd()
          .split(/\r?\n/)
          .map((line) => this.#line(line))
          .join('\n')}\n`
      : this.#placeholders.of('text', body)
  }

  #value(value: unknown, field: string): unknown {
    if (value === null || this.#placeholders.keeps(field)) return value
    if (Array.isArray(value)) return value.map((item) => this.#value(item, field))
    if (typeof value === 'string') return this.#string(value, field)
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) =>
          this.#own.has(name)
            ? [name, this.#value(item, name)]
            : [this.#placeholders.name(name), this.#unknown(item, name)],
        ),
      )
    const isKnown = kindOfField(field) === undefined && this.#isOfContract(value, field)
    return isKnown ? value : this.#unknown(value, field)
  }

  #string(value: string, field: string): unknown {
    const kind = kindOfField(field)
    if (kind !== undefined) return this.#placeholders.of(kind, value)
    if (isIpv4(value)) return this.#placeholders.of('ip', value)
    if (field === 'update_list') return value === 'true' || value === 'false' ? value : 'other'
    if (ipLineOf(value)) return this.#line(value)
    return this.#isOfContract(value, field)
      ? this.#placeholders.scrub(value)
      : this.#placeholders.of('text', value)
  }

  /** Whether the contract has such a value for a field; a quoted number counts as a number. */
  #isOfContract(value: unknown, field: string): boolean {
    return (this.#own.get(field) ?? []).some(({ type, enum: allowed, pattern, format }) => {
      if (Array.isArray(allowed)) return allowed.includes(value)
      if (type === 'number' || type === 'integer') return /^-?\d{1,12}(?:\.\d+)?$/.test(String(value))
      if (format === 'date') return /^[\d :T-]{10,19}Z?$/.test(String(value))
      if (typeof pattern === 'string') return new RegExp(pattern, 'u').test(String(value))
      return type === typeof value
    })
  }

  /** Base64 gets the placeholder in base64; anything else stays invalid. */
  #password(value: string): string {
    const decoded = /^[A-Za-z0-9+/]{4,}={0,2}$/.test(value) ? fromBase64(value) : undefined
    const invalid = this.#placeholders.of('password', value)
    return decoded ? Buffer.from(this.#placeholders.of('password', decoded)).toString('base64') : invalid
  }

  /** A value that isn't in the contract: only its type is kept, and that it is an address. */
  #unknown(value: unknown, field: string): unknown {
    if (value === null || this.#placeholders.keeps(field)) return value
    if (typeof value === 'string') return isIpv4(value) ? this.#placeholders.of('ip', value) : redacted
    if (typeof value === 'object') return Array.isArray(value) ? [] : {}
    return typeof value === 'number' ? 0 : false
  }

  /** A line of an IP list. Of lines of another layout, only the address is kept. */
  #line(line: string): string {
    if (line === '' || /^[a-z_]+(?:[,;][a-z_]+)+$/.test(line)) return line // a header row
    if (isIpv4(line)) return this.#placeholders.of('ip', line)
    const parts = ipLineOf(line)
    if (!parts) {
      const ip = /(?:\d{1,3}\.){3}\d{1,3}/.exec(line)?.[0]
      return `${ip === undefined ? '' : `${this.#placeholders.of('ip', ip)} `}${this.#placeholders.of('text', line)}`
    }
    const { ip, mark, port, rest, login } = parts
    const fields = login
      ? [this.#placeholders.of('username', login.username), this.#placeholders.of('password', login.password)]
      : rest === undefined
        ? []
        : [this.#placeholders.of('text', rest)]
    return [this.#placeholders.of('ip', ip), port, ...fields.map((one) => ipLineField(one, mark))].join(mark)
  }
}

function fieldsOf({ schema }: ContractOperation): Fields {
  const fields: Fields = new Map()
  const learn = (field: string, one: Schema): void => {
    fields.set(field, [...(fields.get(field) ?? []), one])
    for (const [name, below] of Object.entries(asObject(one['properties']))) learn(name, asObject(below))
    if (one['items']) learn(field, asObject(one['items']))
    for (const list of ['oneOf', 'anyOf', 'allOf'])
      for (const below of (one[list] ?? []) as Schema[]) learn(field, below)
  }
  for (const parameter of schema['parameters'] as { name: string; schema: Schema }[])
    learn(parameter.name, parameter.schema)
  for (const part of [schema['requestBody'], ...Object.values(asObject(schema['responses']))])
    for (const media of Object.values(asObject(asObject(part)['content'])))
      learn(unnamed, asObject(asObject(media)['schema']))
  return fields
}

/** An error text without the time that it names, if any */
function timeless(text: unknown): string {
  return String(text).replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?/g, 'TIME')
}
