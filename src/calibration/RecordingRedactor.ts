import type { Contract, ContractOperation, Schema } from '../contract/Contract.ts'
import { fromBase64 } from '../world/base64.ts'
import { isIpv4 } from '../world/ipv4.ts'
import { redacted } from '../journal/redaction/redacted.ts'
import { isObject } from '../world/mergePatch.ts'
import { jsonOf } from '../jsonOf.ts'
import { mediaOf, type Answer, type Exchange } from './Exchange.ts'
import { ipLineField, ipLineOf } from './ipLine.ts'
import { branchOf, caseOf, errorText, isNumeric, kindOf, linesOf } from './schemas.ts'
import { kindOfField, StandIns } from './StandIns.ts'

/** Headers that are shown with their values; of others, only the name is. */
const shownHeaders = new Set([
  'accept',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'retry-after',
  'transfer-encoding',
  'vary',
])

/** Headers that contain credentials: not even their presence is kept. */
const droppedHeaders = /^(?:proxy-)?authorization$|cookie|token|secret|api-?key/i

/**
 * Redacts recordings by an allow-list, the fields of the contract: secrets get stand-ins, and anything that isn't in
 * the contract is hidden.
 */
export class RecordingRedactor {
  readonly #standIns: StandIns
  /** Those of the contract, which can't be secrets: a password may be a word of one */
  readonly #mediaTypes: ReadonlySet<string>

  constructor(standIns: StandIns, { operations }: Contract) {
    this.#standIns = standIns
    this.#mediaTypes = new Set(
      operations.flatMap(({ bodyTypes, responses }) => [
        ...bodyTypes,
        ...Object.values(responses).flatMap(({ content }) => Object.keys(content)),
      ]),
    )
  }

  /** A redactor that has read these exchanges, so that it knows every secret before anything is shown. */
  static of(
    exchanges: readonly Exchange[],
    secrets: Iterable<string>,
    keep: readonly string[],
    contract: Contract,
  ): RecordingRedactor {
    const taken = new Set<string>()
    for (const { response, request } of exchanges)
      for (const text of [response.body, request.body ?? ''])
        for (const [found] of text.matchAll(/[\w.+@-]+/g)) taken.add(found)
    const standIns = new StandIns(keep, taken)
    for (const secret of secrets) standIns.learn(secret)
    const redactor = new RecordingRedactor(standIns, contract)
    for (const exchange of exchanges) redactor.exchange(exchange)
    return redactor
  }

  /** The exchange with stand-ins: whatever is judged or shown of it comes from here. */
  exchange(exchange: Exchange): Exchange {
    const { operation, request, response } = exchange
    const path = this.#path(exchange)
    const [body, answered] = [this.#request(exchange), this.#answer(operation, response)]
    const [, query = ''] = request.url.split(/(?=\?)/s)
    return {
      ...exchange,
      path,
      request: {
        ...request,
        url:
          operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')) +
          this.#query(query),
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
      .filter(([name]) => !droppedHeaders.test(name))
      .map(([name, value]) => ({ name, value: this.#header(name.toLowerCase(), value) }))
  }

  #header(name: string, value: string): string {
    const isShown = shownHeaders.has(name) && /^[\x20-\x7e]*$/.test(value)
    if (!isShown && !this.#standIns.keeps(name)) return redacted
    const [media = ''] = name === 'content-type' ? value.split(';', 1) : []
    return this.#mediaTypes.has(mediaOf(media) ?? '')
      ? media + this.#standIns.scrub(value.slice(media.length))
      : this.#standIns.scrub(value)
  }

  #contentType(value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.#header('content-type', value)
  }

  #path({ operation, path }: Exchange): Record<string, string> {
    const parameters = (operation.schema['parameters'] ?? []) as { name: string; schema?: Schema }[]
    return Object.fromEntries(
      Object.entries(path).map(([name, value]) => {
        const schema = parameters.find((one) => one.name === name)?.schema ?? {}
        return [name, this.#parameter(schema, value)]
      }),
    )
  }

  #parameter(schema: Schema, value: string): string {
    const { enum: allowed, pattern } = schema
    if (Array.isArray(allowed)) return allowed.includes(value) ? value : this.#text(value)
    if (typeof pattern === 'string') return new RegExp(pattern).test(value) ? value : this.#text(value)
    return this.#standIns.scrub(value)
  }

  /** An invalid value stays invalid. */
  #text(value: string): string {
    return this.#standIns.of('text', value).replace(/[^\w-]+/g, '-')
  }

  #query(query: string): string {
    if (query.length < 2) return ''
    return `?${[...new URLSearchParams(query).keys()].map(() => 'redacted=redacted').join('&')}`
  }

  #request({ operation, request: { body, value } }: Exchange): string | undefined {
    if (body === undefined || body === '') return body
    const content = (
      operation.schema['requestBody'] as { content?: Record<string, { schema?: Schema }> } | undefined
    )?.content
    const schema = content?.['application/json']?.schema
    if (value === undefined || schema === undefined) return this.#standIns.of('text', body)
    const safe = this.#value(schema, value, 'request body')
    if (isObject(safe) && isObject(value) && typeof value['password'] === 'string')
      safe['password'] = this.#password(value['password'])
    return JSON.stringify(safe)
  }

  /** The body of a response, as text. */
  #answer(operation: ContractOperation, { status, body, value }: Answer): string {
    if (body === '') return ''
    const isError = status >= 400
    const error = isError ? this.#errorText(operation, status, errorText(body, value)) : ''
    const content = operation.responses[status]?.content ?? {}
    if (value === undefined) {
      if (isError) return error
      const isList = Object.keys(content).some((type) => type.startsWith('text/'))
      return isList ? this.#lines(body) : this.#standIns.of('text', body)
    }
    if (isError && typeof value === 'string') return JSON.stringify(error)
    const schema = content['application/json'] ?? (isError ? errorSchema : undefined)
    const safe = schema === undefined ? this.#unknown(value, '') : this.#value(schema, value, 'body')
    if (isError && isObject(safe) && isObject(value) && typeof value['error'] === 'string')
      safe['error'] = error
    return JSON.stringify(safe)
  }

  /** Only error texts of the contract are shown: any other may contain anything. */
  #errorText(operation: ContractOperation, status: number, text: string): string {
    const found = caseOf(operation, status, text, undefined)
    const isSample = operation.cases.some(({ value }) => errorText('', value) === text)
    const isFilled =
      found?.isFree === false &&
      Object.values(found.filled).every((one) => /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?$/.test(one))
    return isFilled || isSample ? text : this.#standIns.of('text', text)
  }

  #value(schema: Schema, value: unknown, field: string): unknown {
    if (value === null || this.#standIns.keeps(field)) return value
    const own = branchOf(schema, value)
    const { type } = own
    if (Array.isArray(value))
      return type === 'array'
        ? value.map((item) => this.#value((own['items'] ?? {}) as Schema, item, field))
        : []
    if (isObject(value)) {
      if (type !== undefined && type !== 'object') return {}
      const properties = (own['properties'] ?? {}) as Record<string, Schema>
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) =>
          Object.hasOwn(properties, name)
            ? [name, this.#value(properties[name] as Schema, item, name)]
            : [this.#standIns.name(name), this.#unknown(item, name)],
        ),
      )
    }
    if (typeof value !== 'string')
      return type === undefined || typeFits(type, value) ? value : this.#unknown(value, field)
    return this.#string(own, value, field)
  }

  #string(schema: Schema, value: string, field: string): unknown {
    const kind = kindOfField(field)
    const { type, enum: allowed, pattern, format } = schema
    if (type === 'number' || type === 'integer') return isNumeric(value) ? value : redacted
    if (type !== undefined && type !== 'string') return redacted
    if (Array.isArray(allowed)) return allowed.includes(value) ? value : this.#standIns.of('text', value)
    if (field === 'update_list') return value === 'true' || value === 'false' ? value : 'other'
    if (kind !== undefined && kind !== 'ip') return kind === 'text' ? value : this.#standIns.of(kind, value)
    if (kind === 'ip' || isIpv4(value)) return this.#standIns.of('ip', value)
    if (typeof pattern === 'string' && pattern.startsWith('^[0-9]{1,3}')) return this.#line(value)
    if (format === 'date' || (typeof pattern === 'string' && pattern.includes(String.raw`\d{4}`)))
      return /^[\d :T-]{10,19}Z?$/.test(value) ? value : this.#standIns.of('text', value)
    if (typeof pattern === 'string')
      return new RegExp(pattern).test(value) ? value : this.#standIns.of('text', value)
    return this.#standIns.scrub(value)
  }

  /** Base64 gets the stand-in in base64; anything else stays invalid. */
  #password(value: string): string {
    const decoded = /^[A-Za-z0-9+/]{4,}={0,2}$/.test(value) ? fromBase64(value) : undefined
    if (decoded === undefined || decoded === '') return this.#standIns.of('password', value)
    this.#standIns.of('password', value)
    return Buffer.from(this.#standIns.of('password', decoded)).toString('base64')
  }

  /** A value that isn't in the contract: only its type is kept, and that it is an address. */
  #unknown(value: unknown, field: string): unknown {
    if (this.#standIns.keeps(field)) return value
    if (typeof value === 'string') return isIpv4(value) ? this.#standIns.of('ip', value) : redacted
    if (typeof value === 'number') return 0
    if (typeof value === 'boolean') return false
    return value === null ? null : Array.isArray(value) ? [] : {}
  }

  /** An IP list as text. */
  #lines(body: string): string {
    return `${linesOf(body)
      .map((line) => this.#line(line))
      .join('\n')}\n`
  }

  /** Of lines of another layout, only the address is kept. */
  #line(line: string): string {
    if (/^[a-z_]+(?:[,;][a-z_]+)+$/.test(line)) return line // a header row
    const parts = ipLineOf(line)
    if (!parts) {
      const ip = /(?:\d{1,3}\.){3}\d{1,3}/.exec(line)?.[0]
      if (ip === line) return this.#standIns.of('ip', line)
      return line === ''
        ? ''
        : `${ip === undefined ? '' : `${this.#standIns.of('ip', ip)} `}${this.#standIns.of('text', line)}`
    }
    const { ip, mark, port, rest, login } = parts
    const fields = login
      ? [this.#standIns.of('username', login.username), this.#standIns.of('password', login.password)]
      : rest === undefined
        ? []
        : [this.#standIns.of('text', rest)]
    return [this.#standIns.of('ip', ip), port, ...fields.map((one) => ipLineField(one, mark))].join(mark)
  }
}

const errorSchema: Schema = { type: 'object', properties: { error: { type: 'string' } } }

function typeFits(type: unknown, value: unknown): boolean {
  return type === kindOf(value) || (type === 'integer' && typeof value === 'number')
}
