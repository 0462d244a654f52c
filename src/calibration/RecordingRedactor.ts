import type { ContractOperation, Schema } from '../contract/Contract.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { fromBase64 } from '../world/base64.ts'
import { isIpv4 } from '../world/ipv4.ts'
import { redacted } from '../journal/redaction/redacted.ts'
import { isObject } from '../world/mergePatch.ts'
import type { BehaviourDifference, Calibration } from './Calibration.ts'
import type { Answer, Exchange } from './Exchange.ts'
import { jsonOf } from '../jsonOf.ts'
import { branchOf, errorText, kindOf, linesOf } from './parts.ts'
import type { Recordings } from './readRecordings.ts'
import { kindOfField, secretFields, StandIns } from './StandIns.ts'

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

/** Of longer bodies, only the parts that differ are shown. */
const maxBodyLength = 20_000

/**
 * Redacts recordings by an allow-list, the fields of the contract: secrets get stand-ins, and anything that isn't in
 * the contract is hidden.
 */
export class RecordingRedactor {
  readonly #standIns: StandIns

  constructor(standIns: StandIns) {
    this.#standIns = standIns
  }

  /** A redactor that has read the recordings, so that it knows every secret before anything is shown. */
  static of({ groups, secrets, isRedacted }: Recordings, keep: readonly string[]): RecordingRedactor {
    // Our own recorder has put in the stand-ins already.
    if (isRedacted) return new RecordingRedactor(new StandIns(secretFields))
    const exchanges = groups.flatMap((group) => group.exchanges)
    const taken = new Set<string>()
    for (const { response, request } of exchanges)
      for (const text of [response.body, request.body ?? ''])
        for (const [found] of text.matchAll(/[\w.+@-]+/g)) taken.add(found)
    const redactor = new RecordingRedactor(new StandIns(keep, taken))
    for (const secret of secrets) redactor.#standIns.learn(secret)
    for (const exchange of exchanges) {
      redactor.request(exchange)
      redactor.answer(exchange.operation, exchange.response)
    }
    return redactor
  }

  headers(headers: readonly (readonly [string, string])[]): { name: string; value: string }[] {
    return headers
      .filter(([name]) => !droppedHeaders.test(name))
      .map(([name, value]) => ({
        name,
        value:
          (shownHeaders.has(name.toLowerCase()) && /^[\x20-\x7e]*$/.test(value)) ||
          this.#standIns.keeps(name.toLowerCase())
            ? this.#standIns.scrub(value)
            : redacted,
      }))
  }

  /** Path and query of an API call. */
  url({ operation, path }: Pick<Exchange, 'operation' | 'path'>, query: string): string {
    const parameters = (operation.schema['parameters'] ?? []) as { name: string; schema?: Schema }[]
    const filled = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const schema = parameters.find((one) => one.name === name)?.schema ?? {}
      return encodeURIComponent(this.#parameter(schema, path[name] ?? ''))
    })
    return filled + this.query(query)
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

  query(query: string): string {
    if (query.length < 2) return ''
    return `?${[...new URLSearchParams(query).keys()].map(() => 'redacted=redacted').join('&')}`
  }

  request({ operation, request: { body, value } }: Exchange): string | undefined {
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
  answer(operation: ContractOperation, { status, type, body, value }: Answer): string {
    if (body === '') return ''
    const content = operation.responses[status]?.content ?? {}
    if (status >= 400) {
      if (value === undefined) return this.#errorText(operation, status, body)
    } else if (value === undefined || type?.startsWith('text/')) {
      return type !== undefined && type in content && type.startsWith('text/')
        ? this.#lines(body)
        : this.#standIns.of('text', body)
    }
    const schema = content['application/json'] ?? (status >= 400 ? errorSchema : undefined)
    const safe = schema === undefined ? this.#unknown(value, '') : this.#value(schema, value, 'body')
    if (status >= 400 && isObject(safe) && isObject(value) && typeof value['error'] === 'string')
      safe['error'] = this.#errorText(operation, status, value['error'])
    return JSON.stringify(safe)
  }

  /** Only error texts of the contract are shown: any other may contain anything. */
  #errorText(operation: ContractOperation, status: number, text: string): string {
    const isOurs = operation.cases.some(({ value, fill, status: own }) => {
      const sample = errorText('', value)
      if (Object.values(fill).includes(sample)) return text === sample
      const timeless = (one: string): string => one.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, '')
      return own === status && timeless(sample) === timeless(text)
    })
    return isOurs ? text : this.#standIns.of('text', text)
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
    if (type === 'number' || type === 'integer') return /^-?\d{1,9}(?:\.\d+)?$/.test(value) ? value : redacted
    if (type !== undefined && type !== 'string') return redacted
    if (Array.isArray(allowed)) return allowed.includes(value) ? value : this.#standIns.of('text', value)
    if (field === 'update_list') return value === 'true' || value === 'false' ? value : 'other'
    if (kind !== undefined && kind !== 'ip') return kind === 'text' ? value : this.#standIns.of(kind, value)
    if (kind === 'ip' || isIpv4(value)) return this.#standIns.of('ip', value)
    if (typeof pattern === 'string' && pattern.startsWith('^[0-9]{1,3}')) return this.#line(value)
    if (format === 'date' || (typeof pattern === 'string' && pattern.includes(String.raw`\d{4}`)))
      return /^[\d :-]{10,19}$/.test(value) ? value : this.#standIns.of('text', value)
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

  /** A value that isn't in the contract: only its type is kept. */
  #unknown(value: unknown, field: string): unknown {
    if (this.#standIns.keeps(field)) return value
    if (typeof value === 'string') return redacted
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

  /** `ip:port:username:password`, or the same with commas; of any other layout, only the address is kept. */
  #line(line: string): string {
    if (/^[a-z_]+(?:[,;][a-z_]+)*$/.test(line)) return line // a header row
    const match = /^((?:\d{1,3}\.){3}\d{1,3})([:,])(\d{1,5})(?:\2(.*))?$/s.exec(line)
    if (!match) {
      const ip = /(?:\d{1,3}\.){3}\d{1,3}/.exec(line)?.[0]
      if (ip === line) return this.#standIns.of('ip', line)
      return line === ''
        ? ''
        : `${ip === undefined ? '' : `${this.#standIns.of('ip', ip)} `}${this.#standIns.of('text', line)}`
    }
    const [, ip = '', mark = '', port = '', rest] = match
    const head = `${this.#standIns.of('ip', ip)}${mark}${port}`
    if (rest === undefined) return head
    const cut = rest.indexOf(mark)
    if (cut < 0) return `${head}${mark}${this.#standIns.of('text', rest)}`
    const unquoted = (text: string): string =>
      /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text
    return `${head}${mark}${this.#standIns.of('username', unquoted(rest.slice(0, cut)))}${mark}${this.#standIns.of('password', unquoted(rest.slice(cut + 1)))}`
  }

  /** The calibration, redacted. */
  calibration(found: Calibration, operations: (id: string) => ContractOperation | undefined): Calibration {
    return {
      ...found,
      drift: found.drift.map((one) => ({ ...one, message: this.#standIns.scrub(one.message) })),
      behaviour: {
        ...found.behaviour,
        differences: found.behaviour.differences.map((one) =>
          this.#difference(one, operations(one.operation)),
        ),
      },
    }
  }

  #difference(found: BehaviourDifference, operation: ContractOperation | undefined): BehaviourDifference {
    const body = (status: number, value: unknown): unknown => {
      if (!operation) return redacted
      const isText = typeof value === 'string'
      const text = isText ? value : JSON.stringify(value)
      if (text.length > maxBodyLength) return `(${text.length} characters; see the parts that differ)`
      const textType = Object.keys(operation.responses[status]?.content ?? {}).find((one) =>
        one.startsWith('text/'),
      )
      const safe = this.answer(operation, {
        status,
        type: isText ? textType : 'application/json',
        body: text,
        value: isText ? undefined : value,
      })
      return isText ? safe : jsonOf(safe)
    }
    const { real, ours, parts } = found
    return {
      ...found,
      real: { status: real.status, body: body(real.status, real.body) },
      ours: {
        ...ours,
        body: body(ours.status, ours.body),
        reason: ours.reason === null ? null : this.#standIns.scrub(ours.reason),
      },
      parts: parts.map((part) => ({
        path: this.#standIns.scrub(part.path),
        real: this.#part(part.path, part.real),
        ours: this.#part(part.path, part.ours),
      })),
    }
  }

  #part<T>(path: string, value: T): T | string {
    if (typeof value !== 'string') return value
    if (path === 'text') return this.#lines(value)
    if (path.endsWith('[] values'))
      return value
        .split(', ')
        .map((line) => this.#line(line))
        .join(', ')
    const kind = kindOfField(path.slice(path.lastIndexOf('.') + 1))
    if (kind !== undefined && kind !== 'text') return this.#standIns.of(kind, value)
    return this.#standIns.scrub(value)
  }

  /** The scenario, redacted: apart from the stand-ins, it gives the same responses. */
  scenario(document: ScenarioDocument): ScenarioDocument {
    const walk = (value: unknown, field: string, isAccount: boolean): unknown => {
      if (Array.isArray(value)) return value.map((item) => walk(item, field, false))
      if (isObject(value))
        return Object.fromEntries(
          Object.entries(value).map(([name, item]) => [
            name,
            isAccount && name === 'password' ? item : walk(item, name, false),
          ]),
        )
      if (typeof value !== 'string') return value
      const kind = kindOfField(field)
      if (kind !== undefined && kind !== 'text') return this.#standIns.of(kind, value)
      return /^[\d:TZ. -]+$/.test(value) && !isIpv4(value) ? value : this.#standIns.scrub(value)
    }
    return {
      ...document,
      accounts: Object.fromEntries(
        Object.entries(document.accounts).map(([login, account]) => [login, walk(account, '', true)]),
      ) as ScenarioDocument['accounts'],
    }
  }
}

const errorSchema: Schema = { type: 'object', properties: { error: { type: 'string' } } }

function typeFits(type: unknown, value: unknown): boolean {
  return type === kindOf(value) || (type === 'integer' && typeof value === 'number')
}
